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
from unbraid.agents.codex.dialect.server_items import ACTIVITIES, described, described_collab
from unbraid.agents.codex.dialect.threads import Step, Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTurns
from unbraid.agents.codex.dialect.usage import ThreadTokens
from unbraid.agents.codex.records import (
    CodexRecord,
    ServerParams,
    error_message,
    json_value,
    parts_of_thinking,
    texts,
)
from unbraid.events import (
    PermissionAsked,
    PermissionReplied,
    RelayEvent,
    Retracted,
    TextDelta,
    ThinkingDelta,
)
from unbraid.events.parts import decoded
from unbraid.read.clock import Clock
from unbraid.read.record import read_as
from unbraid.read.seen import newly

SERVER_SOURCE = "app-server"
_CALLS = ("commandExecution", "fileChange", "mcpToolCall", "webSearch", "dynamicToolCall")


class ServerNotifications:
    """Translates what an app-server writes."""

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
        # By thread and item: what was said of an item that is not over, by its parts.
        self._streamed: dict[tuple[str, str], dict[int, str]] = {}
        self._asked: dict[str, str] = {}  # call that waits for permission: the request
        self._changes = FileChanges()
        self._seen: dict[int, None] = {}

    def translate(self, record: CodexRecord, out: list[RelayEvent]) -> None:
        """Takes the next line."""
        if record.method is None:
            self._result(json_value(record.result), out)
            return
        method = record.method
        if method.startswith("codex/event/"):
            return  # early releases say everything once more in this form
        given = read_as(ServerParams, bytes(record.params))
        if method == "thread/started":
            self._thread(given.thread, out)
            self._is_fresh(given.thread or {})
            return
        if given.thread_id is None:
            return
        thread = self._threads.thread(given.thread_id)
        step = self._step(thread, record, given)
        if step is not None:
            self._threads.deliver(thread, step, out)

    def _step(self, thread: Thread, record: CodexRecord, given: ServerParams) -> Step | None:
        method = record.method or ""
        match method:
            case "turn/started":
                return partial(self._begun, thread, given)
            case "turn/completed":
                return partial(self._completed, thread, given)
            case "item/started" | "item/completed" if given.item is not None:
                ended = method == "item/completed"
                return partial(self._item, thread, given.item, ended=ended)
            case "item/agentMessage/delta":
                return partial(self._delta, thread, given, "text")
            case "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta":
                return partial(self._delta, thread, given, "thinking")
            case "thread/tokenUsage/updated":
                return partial(self._used, thread, given.token_usage)
            case "error":
                return partial(self._error, thread, given)
            case _ if method.endswith("/requestApproval") and record.id is not None:
                return partial(self._asking, thread, method, record=record, given=given)
        return None

    def _result(self, result: Any, out: list[RelayEvent]) -> None:
        """Takes the answer to a request: of `thread/start` and `thread/resume`, the thread."""
        if isinstance(result, dict) and isinstance(result.get("thread"), dict):
            about = result["thread"]
            if isinstance(model := result.get("model"), str):
                about = {"model": model, **about}
            self._loaded(about, out)
            self._thread(about, out)

    def _loaded(self, about: dict[str, Any], out: list[RelayEvent]) -> None:
        """Takes a thread that was asked for; a sub-agent's is continued as if it were the main
        agent's.
        """
        thread_id, root = _text(about, "id"), self._threads.root
        if thread_id is None or root is None or not root.is_continued:
            return
        thread = self._threads.thread(thread_id)
        if thread.context is None:
            thread.is_continued = True
            self._threads.adopt(thread, None, out)

    def _thread(self, about: dict[str, Any] | None, out: list[RelayEvent]) -> None:
        thread_id = (about or {}).get("id")
        if about is None or not isinstance(thread_id, str):
            return
        thread = self._threads.thread(thread_id)
        is_child = isinstance(about.get("parentThreadId"), str)
        is_new = thread.context is None
        if self._threads.root is None and not is_child:
            self._threads.take_root(thread)
        elif is_new and not is_child:
            self._threads.adopt(thread, None, out)
        if thread.context is None:
            return
        thread.model = _text(about, "model") or thread.model
        self._threads.describe(
            thread,
            out,
            cwd=_text(about, "cwd"),
            version=_text(about, "cliVersion"),
            model=thread.model,
        )
        # A client that joins a running thread gets what was said so far.
        turns = about.get("turns")
        if is_new and isinstance(turns, list):
            for turn in turns:
                items = turn.get("items") if isinstance(turn, dict) else None
                for item in items if isinstance(items, list) else []:
                    if isinstance(item, dict):
                        self._item(thread, item, out, ended=True)

    def _is_fresh(self, about: dict[str, Any]) -> None:
        """Notes that what a new thread uses is its own, whatever is reported of it first."""
        if (thread_id := _text(about, "id")) is not None and not about.get("forkedFromId"):
            self._threads.thread(thread_id).has_items = True

    def _begun(self, thread: Thread, given: ServerParams, out: list[RelayEvent]) -> None:
        if not thread.has_rollout:
            self._turns.begin(thread, _text(given.turn or {}, "id"), out)

    def _completed(self, thread: Thread, given: ServerParams, out: list[RelayEvent]) -> None:
        for key in [key for key in self._streamed if key[0] == thread.id]:
            del self._streamed[key]
        if thread.has_rollout and thread.has_turns:
            return
        turn = given.turn or {}
        status = turn.get("status")
        ok = status == "completed"
        reason = "completed" if ok else "interrupted" if status == "interrupted" else "failed"
        error, duration = turn.get("error"), turn.get("durationMs")
        context = thread.context
        self._turns.end(
            thread,
            _text(turn, "id"),
            (ok, reason),
            out=out,
            answer=context.last_text or None if ok and context is not None else None,
            problem=None if error is None else error_message(error),
            duration_ms=duration if isinstance(duration, int | float) else None,
        )

    def _used(self, thread: Thread, usage: Any, out: list[RelayEvent]) -> None:
        # A thread that is loaded or forked comes with what the answer before had used.
        self._tokens.served(thread, usage, out, is_new=thread.has_items)

    def _error(self, thread: Thread, given: ServerParams, out: list[RelayEvent]) -> None:
        if given.will_retry:
            # The answer is asked for again: what was said of it is dropped.
            dropped = [key for key in self._streamed if key[0] == thread.id]
            shown = [key[1] for key in dropped if self._streamed[key]]
            for key in dropped:
                del self._streamed[key]
            context = thread.context
            if shown and context is not None:
                out.append(Retracted(context.id, self._clock.ts, shown))
        problem = error_message(given.error)
        code = "retry" if given.will_retry else None
        self._turns.failed(thread, SERVER_SOURCE, problem, out=out, code=code)

    def _asking(
        self,
        thread: Thread,
        method: str,
        out: list[RelayEvent],
        *,
        record: CodexRecord,
        given: ServerParams,
    ) -> None:
        context = thread.context
        assert context is not None and record.id is not None
        request, call = approval_id(thread.id, record.id), given.item_id
        # Of a stream without times, all of it comes behind the rollouts: too late to be asked.
        if context.ended or not newly(self._seen, hash((request, call))):
            return
        if call is not None:
            self._asked[call] = request
        known = approval_input(method, decoded(bytes(record.params)), self._changes)
        out.append(
            PermissionAsked(
                context.id,
                self._clock.ts,
                request_id=request,
                tool=approval_tool(method),
                tool_use_id=call,
                input_json=Raw(msgspec.json.encode(known)),
            )
        )

    # --- items ---

    def _delta(self, thread: Thread, given: ServerParams, kind: str, out: list[RelayEvent]) -> None:
        context = thread.context
        assert context is not None
        streamed = self._streamed.get((thread.id, given.item_id or ""))
        # One whose beginning was missed is shown when it comes whole.
        if streamed is None or not given.delta or thread.has_rollout:
            return
        place = given.summary_index if kind == "thinking" else 0
        streamed[place] = streamed.get(place, "") + given.delta
        delta = TextDelta if kind == "text" else ThinkingDelta
        out.append(delta(context.id, self._clock.ts, given.item_id or "", place, given.delta))

    def _item(
        self, thread: Thread, item: dict[str, Any], out: list[RelayEvent], *, ended: bool
    ) -> None:
        kind, item_id = item.get("type"), _text(item, "id") or ""
        thread.has_items |= kind != "userMessage"
        if not ended:
            self._changes.note(item)
        if kind == "agentMessage":
            parts = [_text(item, "text") or ""]
            self._words(thread, item_id, "text", parts=parts, out=out, ended=ended)
        elif kind == "reasoning":
            parts = parts_of_thinking(item.get("summary"))
            self._words(thread, item_id, "thinking", parts=parts, out=out, ended=ended)
        elif kind == "userMessage":
            if ended:
                self._turns.prompted(thread, SERVER_SOURCE, texts(item.get("content")), out=out)
        elif kind == "contextCompaction" and ended:
            self._turns.compacted(thread, SERVER_SOURCE, out)
        elif kind == "collabAgentToolCall":
            self._collab(thread, item_id, item, out=out, ended=ended)
        elif kind == "subAgentActivity":
            self._activity(thread, item_id, item, out=out)
        elif kind in _CALLS and not (kind == "webSearch" and thread.has_rollout):
            self._call(thread, item_id, item, out=out, ended=ended)

    def _activity(
        self, thread: Thread, item_id: str, item: dict[str, Any], *, out: list[RelayEvent]
    ) -> None:
        child, path = _text(item, "agentThreadId"), _text(item, "agentPath")
        kind = item.get("kind")
        if kind == "started" and child is not None:
            self._calls.spawned(thread, item_id, child, out=out, path=path)
        elif isinstance(kind, str) and kind in ACTIVITIES:
            # The only sign of the call, which the server does not report as one.
            self._calls.begin(
                thread, item_id, ACTIVITIES[kind], given={"target": path or child}, out=out
            )
            self._calls.end(thread, item_id, "", out=out, ok=True)

    def _words(
        self,
        thread: Thread,
        item_id: str,
        kind: str,
        *,
        parts: list[str],
        out: list[RelayEvent],
        ended: bool,
    ) -> None:
        context = thread.context
        assert context is not None
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
            context.last_text = parts[0]
        whole = "".join(parts)
        if not whole or (not thread.said.is_new(SERVER_SOURCE, kind, whole) and not streamed):
            return
        delta = TextDelta if kind == "text" else ThinkingDelta
        for place, part in enumerate(parts):
            before = streamed.get(place, "")
            if part.startswith(before):
                rest = part[len(before) :]
            else:
                place, rest = place + len(parts), part
            if rest:
                out.append(delta(context.id, self._clock.ts, item_id, place, rest))

    def _call(
        self,
        thread: Thread,
        item_id: str,
        item: dict[str, Any],
        *,
        out: list[RelayEvent],
        ended: bool,
    ) -> None:
        context = thread.context
        assert context is not None
        context.last_text = ""
        name, given, output = described(item)
        self._calls.begin(thread, item_id, name, given=given, out=out)
        if not ended:
            return
        status = item.get("status")
        request = self._asked.pop(item_id, None)
        if request is not None:
            behavior = "deny" if status == "declined" else "allow"
            out.append(PermissionReplied(context.id, self._clock.ts, request, behavior=behavior))
        duration = item.get("durationMs")
        ok = status in (None, "completed") and item.get("exitCode") in (0, None)
        self._calls.end(
            thread,
            item_id,
            output,
            out=out,
            ok=ok,
            duration_ms=duration if type(duration) is int else None,
        )

    def _collab(
        self,
        thread: Thread,
        item_id: str,
        item: dict[str, Any],
        *,
        out: list[RelayEvent],
        ended: bool,
    ) -> None:
        context = thread.context
        assert context is not None
        context.last_text = ""
        tool, prompt, children, given = described_collab(item)
        self._calls.begin(thread, item_id, tool, given=given, out=out)
        if not ended:
            return
        if tool == "spawn_agent":
            for child in children:
                self._calls.spawned(thread, item_id, child, out=out, prompt=prompt)
        states = item.get("agentsStates")
        self._calls.states(thread, states, out)
        text = msgspec.json.encode(states).decode() if states else ""
        if tool == "spawn_agent" and children:
            text = msgspec.json.encode({"agent_id": children[0]}).decode()
        self._calls.end(thread, item_id, text, out=out, ok=item.get("status") != "failed")


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) else None
