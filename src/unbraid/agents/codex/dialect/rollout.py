"""Rollouts: the file of one thread, which has all that its agent said.

The same words stand in it up to three times. What counts is the `response_item`: it is there in
every release. Of the events beside it, only what these do not have: turns, prompts, tokens, which
call has started which thread, and the calls that a script of the agent has made.
"""

from __future__ import annotations

from functools import partial

from unbraid.agents.codex.dialect.calls import SPAWN, ThreadCalls
from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTokens, ThreadTurns
from unbraid.agents.codex.records import (
    ABOUT,
    THREAD_ID,
    CodexRecord,
    Item,
    Payload,
    SessionHead,
    error_message,
    item_of,
    parts_of_thinking,
    texts,
)
from unbraid.events import Unrecognized
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

SOURCE = "rollout"
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
        self, threads: Threads, *, calls: ThreadCalls, turns: ThreadTurns, tokens: ThreadTokens
    ) -> None:
        self._threads, self._calls, self._turns, self._tokens = threads, calls, turns, tokens
        self._sources: dict[str, StoredSource] = {}
        self._seen: dict[int, None] = {}

    def translate(self, name: str, record: CodexRecord) -> None:
        """Translates the next line of a source."""
        source = self._sources.get(name)
        if source is None:
            source = self._sources[name] = StoredSource(self._named(name))
        if record.type == "session_meta":
            if name.startswith(ABOUT) and source.thread is not None:
                source.thread.is_continued = True
            self._introduce(source, read_as(SessionHead, bytes(record.payload)))
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
            self._threads.deliver(thread, partial(self._line, thread, record, payload))

    def _named(self, name: str) -> Thread | None:
        """Returns the thread that a file's name has, for one that is read from the middle."""
        found = THREAD_ID.findall(name)
        return self._threads.thread(found[-1]) if found else None

    def _introduce(self, source: StoredSource, head: SessionHead) -> None:
        # A forked thread's file has its parent's first line too: only the first one counts.
        if source.is_introduced or not head.id:
            return
        source.is_introduced = True
        thread = source.thread = self._threads.thread(head.id)
        thread.has_rollout = True
        source.start_ordinal = head.start_ordinal or 0
        source.is_copy = head.history_mode != "paginated" and head.forked_from_id is not None
        self._threads.introduce(thread, head)

    def _is_copied(self, source: StoredSource, record: CodexRecord, payload: Payload) -> bool:
        """Returns whether a line was copied from the thread above, as its first lines may be."""
        if record.ordinal is not None and source.start_ordinal:
            return record.ordinal < source.start_ordinal
        if source.is_copy and payload.type == "task_started" and payload.turn_id is not None:
            # Ids sort by time: a turn that is older than its thread is another thread's.
            assert source.thread is not None
            source.is_copy = payload.turn_id < source.thread.id
        return source.is_copy

    def _line(self, thread: Thread, record: CodexRecord, payload: Payload) -> None:
        match record.type:
            case "response_item":
                self._response(thread, record, payload)
            case "event_msg":
                self._event(thread, payload)
            case "turn_context":
                if payload.model is not None and payload.model != thread.model:
                    thread.model = payload.model
                    self._threads.describe(thread, model=payload.model)
            case "compacted":
                self._turns.compacted(thread, SOURCE)
            case "token_usage_record":
                self._tokens.record(thread, payload.usage, payload.response_id)

    def _response(self, thread: Thread, record: CodexRecord, payload: Payload) -> None:
        kind = payload.type
        if kind in _WORDS and payload.role in (None, "assistant"):
            self._turns.awake(thread)
        if kind == "message" and payload.role == "assistant":
            text = texts(payload.content)
            if text:
                self._say(thread, "text", payload, [text])
                thread.agent.last_text = text
        elif kind == "reasoning":
            if parts := parts_of_thinking(payload.summary):
                self._say(thread, "thinking", payload, parts)
        elif kind in _CALLS:
            self._call(thread, payload)
        elif kind in _OUTPUTS:
            self._calls.end(thread, payload.call_id or "", payload.output)
        elif kind not in _BOOKKEEPING:
            line = Unrecognized(thread.agent.id, self._threads.clock.ts, sound(record.raw))
            self._threads.out.append(line)

    def _say(self, thread: Thread, kind: str, payload: Payload, parts: list[str]) -> None:
        if thread.said.is_new(SOURCE, kind, "".join(parts)):
            self._threads.say(thread, kind, thread.message_id(payload.id), parts)

    def _call(self, thread: Thread, payload: Payload) -> None:
        thread.agent.last_text = ""  # a turn that ends in a call has no answer
        call_id, message_id = payload.call_id or payload.id or "", payload.id
        if payload.type in ("web_search_call", "local_shell_call"):
            # Legacy rollouts keep no id of a search.
            call_id = call_id or f"call-{thread.message_id(None)}"
            name = payload.type.removesuffix("_call")
            given = payload.action if isinstance(payload.action, dict) else {}
            self._calls.begin(thread, call_id, name, given, message_id=message_id)
            if payload.type == "web_search_call":
                # Searched by the model's own side: there is no other sign of its end.
                self._calls.end(thread, call_id, "", ok=payload.status != "failed")
            return
        given = payload.arguments if payload.type == "function_call" else payload.input
        self._calls.begin(thread, call_id, payload.tool, given, message_id=message_id)

    def _event(self, thread: Thread, payload: Payload) -> None:
        match payload.type:
            case "task_started":
                self._turns.begin(thread, payload.turn_id)
            case "task_complete":
                self._completed(thread, payload)
            case "turn_aborted":
                self._turns.end(thread, payload.turn_id, (False, "interrupted"))
            case "exited_review_mode":
                thread.prompted = False  # what the reviewer has found is the answer of this turn
            case "user_message" if isinstance(payload.message, str):
                self._turns.prompted(thread, SOURCE, payload.message)
            case "token_count":
                self._tokens.counted(thread, payload.info)
            case "sub_agent_activity" if payload.kind in ("started", None):
                self._spawned(thread, payload.event_id, payload)
            case "exec_command_end" | "patch_apply_end" if payload.call_id is not None:
                self._outcome(thread, payload.call_id, ok=payload.status != "failed")
            case "item_completed" if payload.item is not None:
                self._item(thread, item_of(payload.item))

    def _completed(self, thread: Thread, payload: Payload) -> None:
        answer, error = payload.last_agent_message, payload.error
        release = thread.head.release if thread.head is not None else ()
        # Earlier releases write no error: a turn that has failed looks like one without an answer.
        silent = answer is None and release < _FIRST_WITH_ERRORS and thread.prompted
        ok = error is None and not silent
        self._turns.end(
            thread,
            payload.turn_id,
            (ok, "completed" if ok else "failed"),
            answer=answer,
            problem=None if error is None else error_message(error),
            duration_ms=payload.duration_ms,
        )

    def _spawned(self, thread: Thread, call_id: str | None, about: Payload | Item) -> None:
        """Notes which thread a call has started."""
        if call_id and about.agent_thread_id is not None:
            path = about.agent_path
            self._calls.spawned(thread, call_id, about.agent_thread_id, path=path)

    def _outcome(self, thread: Thread, call_id: str, *, ok: bool) -> None:
        """Notes how a call has ended, before its result comes."""
        if call_id in thread.open_calls:
            thread.call_outcomes[call_id] = ok

    def _item(self, thread: Thread, item: Item) -> None:
        match item.type:
            case "user_message":
                self._turns.prompted(thread, SOURCE, texts(item.content))
            case "sub_agent_activity" if item.kind == "started":
                self._spawned(thread, item.id, item)
            case "collab_agent_tool_call" if item.tool == SPAWN:
                nicknames = _nicknames(item)
                for child in item.receivers:
                    nickname = nicknames.get(child)
                    self._calls.spawned(
                        thread, item.id, child, prompt=item.prompt, nickname=nickname
                    )
            case "command_execution" | "file_change" | "mcp_tool_call":
                if not item.id.startswith(_SCRIPT):
                    self._outcome(thread, item.id, ok=item.is_ok)
                elif thread.turn_open:
                    # Made by a script, which is the agent's own call, and may outlive its turn.
                    self._script_call(thread, item)

    def _script_call(self, thread: Thread, item: Item) -> None:
        name, given = item.call() or ("", {})
        if item.type == "command_execution":
            match item.command:
                case [_, "-lc" | "-c", command]:
                    given = {"cmd": command}
                case command:
                    given = {"cmd": command}
        self._calls.begin(thread, item.id, name, given)
        self._calls.end(thread, item.id, item.output, ok=item.is_ok)


def _nicknames(item: Item) -> dict[str, str]:
    """Returns what the agents that a call has started are called, by their threads."""
    listed = item.receiver_agents if isinstance(item.receiver_agents, list) else []
    return {
        str(each.get("thread_id")): each["agent_nickname"]
        for each in listed
        if isinstance(each, dict) and isinstance(each.get("agent_nickname"), str)
    }
