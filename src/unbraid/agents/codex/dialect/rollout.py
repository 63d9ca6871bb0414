"""Rollouts: the file of one thread, which has all that its agent said.

The same words stand in it up to three times. What counts is the `response_item`: it is there in
every release. Of the events beside it, only what these do not have: turns, prompts, tokens, which
call has started which thread, and the calls that a script of the agent has made.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from unbraid.agents.codex.dialect.calls import SPAWN, ThreadCalls
from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTurns
from unbraid.agents.codex.dialect.usage import ThreadTokens
from unbraid.agents.codex.records import (
    ABOUT,
    THREAD_ID,
    CodexRecord,
    Payload,
    SessionHead,
    error_message,
    parts_of_thinking,
    texts,
)
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, Unrecognized
from unbraid.read.clock import Clock
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

STORED_SOURCE = "rollout"
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_WORDS = ("message", "reasoning", *_CALLS)
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_BOOKKEEPING = (
    "ghost_snapshot",
    "additional_tools",
    "agent_message",
    "compaction",
    "message",
)
# From this release on, a turn that has failed says so.
_FIRST_WITH_ERRORS = (0, 150)
_SCRIPT = "exec-"


class StoredSource:
    """One file: its thread, and whether its lines are of its own thread already."""

    def __init__(self, thread: Thread | None) -> None:
        self.thread = thread
        self.is_introduced = False
        self.is_copy = False  # the history of the thread that this one was forked from
        self.start_ordinal = 0


class Rollouts:
    """Translates the lines of rollouts."""

    def __init__(
        self,
        *,
        clock: Clock,
        threads: Threads,
        calls: ThreadCalls,
        turns: ThreadTurns,
        tokens: ThreadTokens,
    ) -> None:
        self._clock, self._threads = clock, threads
        self._calls, self._turns, self._tokens = calls, turns, tokens
        self._sources: dict[str, StoredSource] = {}
        self._seen: dict[int, None] = {}

    def translate(self, name: str, record: CodexRecord, out: list[RelayEvent]) -> None:
        """Takes the next line of a source."""
        source = self._sources.get(name)
        if source is None:
            source = self._sources[name] = StoredSource(self._named(name))
        if record.type == "session_meta":
            if name.startswith(ABOUT) and source.thread is not None:
                source.thread.is_continued = True
            self._introduce(source, read_as(SessionHead, bytes(record.payload)), out)
            return
        thread = source.thread
        if thread is None:
            thread = source.thread = self._threads.root or self._threads.thread("")
        thread.has_rollout = True
        payload = read_as(Payload, bytes(record.payload))
        thread.has_lines |= not name.startswith(ABOUT)
        if name.startswith(ABOUT) or self._is_copied(source, record, payload):
            if payload.type == "token_count":
                self._tokens.copied(thread, payload.info)
            return
        if newly(self._seen, hash((thread.id, record.ordinal or 0, record.raw))):
            self._threads.deliver(thread, partial(self._line, thread, record, payload), out)

    def _named(self, name: str) -> Thread | None:
        """Returns the thread that a file's name has, for one that is read from the middle."""
        found = THREAD_ID.findall(name)
        return self._threads.thread(found[-1]) if found else None

    def _introduce(self, source: StoredSource, head: SessionHead, out: list[RelayEvent]) -> None:
        # A forked thread's file has its parent's first line too: only the first one counts.
        if source.is_introduced or not head.id:
            return
        source.is_introduced = True
        thread = source.thread = self._threads.thread(head.id)
        thread.has_rollout = True
        source.start_ordinal = head.start_ordinal or 0
        source.is_copy = head.history_mode != "paginated" and head.forked_from_id is not None
        self._threads.introduce(thread, head, out)

    def _is_copied(self, source: StoredSource, record: CodexRecord, payload: Payload) -> bool:
        """Returns whether a line was copied from the thread above, as its first lines may be."""
        if record.ordinal is not None and source.start_ordinal:
            return record.ordinal < source.start_ordinal
        if source.is_copy and payload.type == "task_started" and payload.turn_id is not None:
            # Ids sort by time: a turn that is older than its thread is another thread's.
            assert source.thread is not None
            source.is_copy = payload.turn_id < source.thread.id
        return source.is_copy

    def _line(
        self, thread: Thread, record: CodexRecord, payload: Payload, out: list[RelayEvent]
    ) -> None:
        match record.type:
            case "response_item":
                self._response(thread, record, payload, out=out)
            case "event_msg":
                self._event(thread, payload, out)
            case "turn_context":
                if payload.model is not None and payload.model != thread.model:
                    thread.model = payload.model
                    self._threads.describe(thread, out, model=payload.model)
            case "compacted":
                self._turns.compacted(thread, STORED_SOURCE, out)
            case "token_usage_record":
                self._tokens.record(thread, payload.usage, payload.response_id, out=out)

    def _response(
        self, thread: Thread, record: CodexRecord, payload: Payload, *, out: list[RelayEvent]
    ) -> None:
        context = thread.context
        assert context is not None
        kind = payload.type
        if kind in _WORDS and payload.role in (None, "assistant"):
            self._turns.awake(thread, out)
        if kind == "message" and payload.role == "assistant":
            text = texts(payload.content)
            if text and thread.said.is_new(STORED_SOURCE, "text", text):
                out.append(
                    TextDelta(
                        context=context.id,
                        ts=self._clock.ts,
                        message_id=thread.message_id(payload.id),
                        block=0,
                        delta=text,
                    )
                )
            context.last_text = text or context.last_text
        elif kind == "reasoning":
            parts = parts_of_thinking(payload.summary)
            if parts and thread.said.is_new(STORED_SOURCE, "thinking", "".join(parts)):
                message = thread.message_id(payload.id)
                for place, part in enumerate(parts):
                    out.append(
                        ThinkingDelta(
                            context=context.id,
                            ts=self._clock.ts,
                            message_id=message,
                            block=place,
                            delta=part,
                        )
                    )
        elif kind in _CALLS:
            self._call(thread, payload, out)
        elif kind in _OUTPUTS:
            self._calls.end(thread, payload.call_id or "", payload.output, out=out)
        elif kind not in _BOOKKEEPING:
            out.append(Unrecognized(context.id, self._clock.ts, sound(record.raw)))

    def _call(self, thread: Thread, payload: Payload, out: list[RelayEvent]) -> None:
        context = thread.context
        assert context is not None
        context.last_text = ""  # a turn that ends in a call has no answer
        call_id = payload.call_id or payload.id or ""
        if payload.type in ("web_search_call", "local_shell_call"):
            # Legacy rollouts keep no id of a search.
            call_id = call_id or f"call-{thread.message_id(None)}"
            name = payload.type.removesuffix("_call")
            given = payload.action if isinstance(payload.action, dict) else {}
            self._calls.begin(thread, call_id, name, given=given, out=out, message_id=payload.id)
            if payload.type == "web_search_call":
                # Searched by the model's own side: there is no other sign of its end.
                self._calls.end(thread, call_id, "", out=out, ok=payload.status != "failed")
            return
        given = payload.arguments if payload.type == "function_call" else payload.input
        self._calls.begin(
            thread, call_id, payload.tool, given=given, out=out, message_id=payload.id
        )

    def _event(self, thread: Thread, payload: Payload, out: list[RelayEvent]) -> None:
        match payload.type:
            case "task_started":
                self._turns.begin(thread, payload.turn_id, out)
            case "task_complete":
                self._completed(thread, payload, out)
            case "turn_aborted":
                interrupted = (False, "interrupted")
                self._turns.end(thread, payload.turn_id, interrupted, out=out)
            case "exited_review_mode":
                thread.prompted = False  # what the reviewer has found is the answer of this turn
            case "user_message" if isinstance(payload.message, str):
                self._turns.prompted(thread, STORED_SOURCE, payload.message, out=out)
            case "token_count":
                self._tokens.counted(thread, payload.info, out)
            case "sub_agent_activity" if payload.agent_thread_id is not None:
                self._activity(
                    thread,
                    payload.kind or "started",
                    call_id=payload.event_id or "",
                    child=payload.agent_thread_id,
                    path=payload.agent_path,
                    out=out,
                )
            case "exec_command_end" | "patch_apply_end" if payload.call_id is not None:
                self._calls.outcome(thread, payload.call_id, ok=payload.status != "failed")
            case "item_completed" if payload.item is not None:
                self._item(thread, payload.item, out)

    def _completed(self, thread: Thread, payload: Payload, out: list[RelayEvent]) -> None:
        answer, error = payload.last_agent_message, payload.error
        release = thread.head.release if thread.head is not None else ()
        # Earlier releases write no error: a turn that has failed looks like one without an answer.
        silent = answer is None and release < _FIRST_WITH_ERRORS and thread.prompted
        ok = error is None and not silent
        self._turns.end(
            thread,
            payload.turn_id,
            (ok, "completed" if ok else "failed"),
            out=out,
            answer=answer,
            problem=None if error is None else error_message(error),
            duration_ms=payload.duration_ms,
        )

    def _activity(
        self,
        thread: Thread,
        kind: str,
        *,
        call_id: str,
        child: str,
        path: str | None,
        out: list[RelayEvent],
    ) -> None:
        if kind == "started" and call_id:
            self._calls.spawned(thread, call_id, child, out=out, path=path)

    def _item(self, thread: Thread, item: dict[str, Any], out: list[RelayEvent]) -> None:
        call_id = item.get("id")
        call_id = call_id if isinstance(call_id, str) else ""
        match item.get("type"):
            case "UserMessage":
                self._turns.prompted(thread, STORED_SOURCE, texts(item.get("content")), out=out)
            case "SubAgentActivity" if isinstance(item.get("agent_thread_id"), str):
                path = item.get("agent_path")
                self._activity(
                    thread,
                    str(item.get("kind")),
                    call_id=call_id,
                    child=item["agent_thread_id"],
                    path=path if isinstance(path, str) else None,
                    out=out,
                )
            case "CollabAgentToolCall" if item.get("tool") == SPAWN:
                self._spawned(thread, call_id, item, out=out)
            case "CommandExecution" | "FileChange" | "McpToolCall" as kind:
                ok = item.get("status") == "completed" and item.get("exit_code") in (0, None)
                if call_id.startswith(_SCRIPT):
                    # Made by a script, which is the agent's own call, and may outlive its turn.
                    if not thread.turn_open:
                        return
                    name, given = script_call(kind, item)
                    self._calls.begin(thread, call_id, name, given=given, out=out)
                    self._calls.end(thread, call_id, script_output(kind, item), out=out, ok=ok)
                else:
                    self._calls.outcome(thread, call_id, ok=ok)

    def _spawned(
        self, thread: Thread, call_id: str, item: dict[str, Any], *, out: list[RelayEvent]
    ) -> None:
        prompt = item.get("prompt")
        children = item.get("receiver_thread_ids")
        about = item.get("receiver_agents")
        names = {
            str(each.get("thread_id")): each.get("agent_nickname")
            for each in (about if isinstance(about, list) else [])
            if isinstance(each, dict)
        }
        for child in children if isinstance(children, list) else []:
            if isinstance(child, str):
                nickname = names.get(child)
                self._calls.spawned(
                    thread,
                    call_id,
                    child,
                    out=out,
                    prompt=prompt if isinstance(prompt, str) else None,
                    nickname=nickname if isinstance(nickname, str) else None,
                )


def script_call(kind: str, item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Returns the name and the input of a call that a script has made."""
    if kind == "CommandExecution":
        command = item.get("command")
        if isinstance(command, list) and len(command) == 3 and command[1] in ("-lc", "-c"):
            command = command[2]
        return "exec_command", {"cmd": command}
    if kind == "FileChange":
        return "apply_patch", {"changes": item.get("changes")}
    return str(item.get("tool")), {"server": item.get("server"), "arguments": item.get("arguments")}


def script_output(kind: str, item: dict[str, Any]) -> Any:
    """Returns what such a call gave."""
    if kind == "CommandExecution":
        return item.get("aggregated_output") or ""
    if kind == "FileChange":
        return item.get("stdout") or item.get("stderr") or ""
    return item.get("result") or item.get("error") or ""
