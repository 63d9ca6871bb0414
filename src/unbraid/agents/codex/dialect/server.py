"""The app-server: every thread below the root, word by word, with the ids of its calls.

A thread whose rollout is among the sources already is read from there: what the server says of it
adds only what is never stored (permission requests, errors that were retried).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.codex.dialect.approvals import (
    FileChanges,
    approval_id,
    approval_input,
    approval_tool,
)
from unbraid.agents.codex.dialect.calls import ThreadCalls
from unbraid.agents.codex.dialect.threads import Step, Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTokens, ThreadTurns
from unbraid.agents.codex.records import (
    CodexRecord,
    Item,
    ServerParams,
    ServerResult,
    ServerThread,
    ServerTurn,
    error_message,
    item_of,
    parts_of_thinking,
    texts,
)
from unbraid.events import PermissionAsked, PermissionReplied, Retracted
from unbraid.events.parts import decoded
from unbraid.read.record import read_as
from unbraid.read.seen import newly

SOURCE = "app-server"
# What an agent does to another one, where its calls are not reported (multi-agent v2).
_ACTIVITIES = {"interacted": "send_message", "interrupted": "interrupt_agent"}
_TOOLS = {
    "spawnAgent": "spawn_agent",
    "sendInput": "send_input",
    "resumeAgent": "resume_agent",
    "wait": "wait_agent",
    "closeAgent": "close_agent",
}


class ServerNotifications:
    """Translates what an app-server writes."""

    def __init__(
        self, threads: Threads, *, calls: ThreadCalls, turns: ThreadTurns, tokens: ThreadTokens
    ) -> None:
        self._threads, self._calls, self._turns, self._tokens = threads, calls, turns, tokens
        # By thread and item: what was said of an item that is not over, by its parts.
        self._streamed: dict[tuple[str, str], dict[int, str]] = {}
        self._asked: dict[str, str] = {}  # call that waits for permission: the request
        self._changes = FileChanges()
        self._seen: dict[int, None] = {}

    def translate(self, record: CodexRecord) -> None:
        """Translates the next line."""
        if record.method is None:
            self._result(read_as(ServerResult, bytes(record.result)))
            return
        if record.method.startswith("codex/event/"):
            return  # early releases say everything once more in this form
        given = read_as(ServerParams, bytes(record.params))
        if record.method == "thread/started" and given.thread is not None:
            self._thread(given.thread)
            if given.thread.id is not None and not given.thread.forked_from_id:
                # What a new thread uses is its own, whatever is reported of it first.
                self._threads.thread(given.thread.id).has_items = True
        elif given.thread_id is not None:
            thread = self._threads.thread(given.thread_id)
            step = self._step(thread, record, given)
            if step is not None:
                self._threads.deliver(thread, step)

    def _step(self, thread: Thread, record: CodexRecord, given: ServerParams) -> Step | None:
        method = record.method or ""
        match method:
            case "turn/started":
                return partial(self._begun, thread, given.turn)
            case "turn/completed":
                return partial(self._completed, thread, given.turn)
            case "item/started" | "item/completed" if given.item is not None:
                ended = method == "item/completed"
                return partial(self._item, thread, item_of(given.item), ended=ended)
            case "item/agentMessage/delta":
                return partial(self._delta, thread, given, "text")
            case "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta":
                return partial(self._delta, thread, given, "thinking")
            case "thread/tokenUsage/updated":
                return partial(self._used, thread, given.token_usage)
            case "error":
                return partial(self._error, thread, given)
            case _ if method.endswith("/requestApproval") and record.id is not None:
                return partial(self._asking, thread, record, given.item_id)
        return None

    def _result(self, result: ServerResult) -> None:
        """Reads the answer to a request: of `thread/start` and `thread/resume`, the thread."""
        about, root = result.thread, self._threads.root
        if about is None:
            return
        about.model = about.model or result.model
        if about.id is not None and root is not None and root.is_continued:
            # A sub-agent's thread is continued as if it were the main agent's.
            thread = self._threads.thread(about.id)
            if thread.context is None:
                thread.is_continued = True
                self._threads.adopt(thread, None)
        self._thread(about)

    def _thread(self, about: ServerThread) -> None:
        if about.id is None:
            return
        thread = self._threads.thread(about.id)
        is_child = about.parent_thread_id is not None
        is_new = thread.context is None
        if self._threads.root is None and not is_child:
            self._threads.make_root(thread)
        elif is_new and not is_child:
            self._threads.adopt(thread, None)
        if thread.context is None:
            return
        thread.model = about.model or thread.model
        self._threads.describe(thread, cwd=about.cwd, version=about.cli_version, model=thread.model)
        # A client that joins a running thread gets what was said so far.
        for turn in about.turns if is_new else ():
            for item in turn.items:
                self._item(thread, item_of(item), ended=True)

    def _begun(self, thread: Thread, turn: ServerTurn) -> None:
        if not thread.has_rollout:
            self._turns.begin(thread, turn.id)

    def _completed(self, thread: Thread, turn: ServerTurn) -> None:
        self._drop_streamed(thread)
        if thread.has_rollout and thread.has_turns:
            return
        ok = turn.status == "completed"
        reason = turn.status if turn.status in ("completed", "interrupted") else "failed"
        self._turns.end(
            thread,
            turn.id,
            (ok, reason),
            answer=thread.agent.last_text or None if ok else None,
            problem=None if turn.error is None else error_message(turn.error),
            duration_ms=turn.duration_ms,
        )

    def _drop_streamed(self, thread: Thread) -> list[str]:
        """Forgets the items of a thread that are not over. Returns those that were shown."""
        dropped = [key for key in self._streamed if key[0] == thread.id]
        return [key[1] for key in dropped if self._streamed.pop(key)]

    def _used(self, thread: Thread, usage: Any) -> None:
        # A thread that is loaded or forked comes with what the answer before had used.
        self._tokens.served(thread, usage, is_new=thread.has_items)

    def _error(self, thread: Thread, given: ServerParams) -> None:
        if given.will_retry and (shown := self._drop_streamed(thread)):
            # The answer is asked for again: what was said of it is dropped.
            self._threads.out.append(Retracted(thread.agent.id, self._threads.clock.ts, shown))
        code = "retry" if given.will_retry else None
        self._turns.failed(thread, SOURCE, error_message(given.error), code=code)

    def _asking(self, thread: Thread, record: CodexRecord, call: str | None) -> None:
        context, method = thread.agent, record.method or ""
        assert record.id is not None
        request = approval_id(thread.id, record.id)
        # Of a stream without times, all of it comes behind the rollouts: too late to be asked.
        if context.ended or not newly(self._seen, hash((request, call))):
            return
        if call is not None:
            self._asked[call] = request
        known = approval_input(method, decoded(bytes(record.params)), self._changes)
        self._threads.out.append(
            PermissionAsked(
                context.id,
                self._threads.clock.ts,
                request_id=request,
                tool=approval_tool(method),
                tool_use_id=call,
                input_json=Raw(msgspec.json.encode(known)),
            )
        )

    # --- items ---

    def _delta(self, thread: Thread, given: ServerParams, kind: str) -> None:
        item_id, text = given.item_id or "", given.delta
        streamed = self._streamed.get((thread.id, item_id))
        # One whose beginning was missed is shown when it comes whole.
        if streamed is None or not text or thread.has_rollout:
            return
        block = given.summary_index if kind == "thinking" else 0
        streamed[block] = streamed.get(block, "") + text
        self._threads.say_part(thread, kind, item_id, block=block, text=text)

    def _item(self, thread: Thread, item: Item, *, ended: bool) -> None:
        thread.has_items |= item.type != "user_message"
        if not ended:
            self._changes.started(item.type, item.id, item.changes)
        match item.type:
            case "agent_message":
                self._words(thread, item.id, "text", parts=[item.text or ""], ended=ended)
            case "reasoning":
                parts = parts_of_thinking(item.summary)
                self._words(thread, item.id, "thinking", parts=parts, ended=ended)
            case "user_message" if ended:
                self._turns.prompted(thread, SOURCE, texts(item.content))
            case "context_compaction" if ended:
                self._turns.compacted(thread, SOURCE)
            case "collab_agent_tool_call":
                self._collab(thread, item, ended=ended)
            case "sub_agent_activity":
                self._activity(thread, item)
            case "web_search" if thread.has_rollout:
                pass  # it has no id there
            case _ if item.call() is not None:
                self._call(thread, item, ended=ended)

    def _activity(self, thread: Thread, item: Item) -> None:
        child, path = item.agent_thread_id, item.agent_path
        tool = _ACTIVITIES.get(item.kind or "")
        if item.kind == "started" and child is not None:
            self._calls.spawned(thread, item.id, child, path=path)
        elif tool is not None:
            # The only sign of the call, which the server does not report as one.
            self._calls.begin(thread, item.id, tool, {"target": path or child})
            self._calls.end(thread, item.id, "", ok=True)

    def _words(
        self, thread: Thread, item_id: str, kind: str, *, parts: list[str], ended: bool
    ) -> None:
        key = (thread.id, item_id)
        mark = hash(("item", *key))
        if not ended:
            if not thread.has_rollout and mark not in self._seen:
                self._streamed.setdefault(key, {})
            return
        streamed = self._streamed.pop(key, {})
        if not newly(self._seen, mark):
            return
        if kind == "text" and parts[0]:
            thread.agent.last_text = parts[0]
        whole = "".join(parts)
        if not whole or (not thread.said.is_new(SOURCE, kind, whole) and not streamed):
            return
        for place, part in enumerate(parts):
            before = streamed.get(place, "")
            if part.startswith(before):
                block, rest = place, part[len(before) :]
            else:
                block, rest = place + len(parts), part
            if rest:
                self._threads.say_part(thread, kind, item_id, block=block, text=rest)

    def _call(self, thread: Thread, item: Item, *, ended: bool) -> None:
        context = thread.agent
        context.last_text = ""
        request = self._asked.pop(item.id, None) if ended else None
        self._calls.report(thread, item.id, item, ended=False)
        if request is not None:
            behavior = "deny" if item.status == "declined" else "allow"
            ts = self._threads.clock.ts
            self._threads.out.append(PermissionReplied(context.id, ts, request, behavior=behavior))
        self._calls.report(thread, item.id, item, ended=ended)

    def _collab(self, thread: Thread, item: Item, *, ended: bool) -> None:
        thread.agent.last_text = ""
        tool = _TOOLS.get(item.tool or "", item.tool or "")
        given: dict[str, Any] = {"message": item.prompt} if item.prompt else {}
        if item.receivers and tool == "wait_agent":
            given["targets"] = item.receivers
        elif item.receivers and tool != "spawn_agent":
            given["target"] = item.receivers[0]
        self._calls.report_collab(thread, item.id, item, tool=tool, given=given, ended=ended)
