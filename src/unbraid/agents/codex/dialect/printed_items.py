"""The stdout of `codex exec --json`: the main agent in whole items, without calls' ids.

Where the thread's rollout is among the sources, only errors are taken from here: everything else
stands there, with its id and its time. Some releases print all agents' items and do not name the
agents; without rollouts, the items are shown as the main agent's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unbraid.agents.codex.dialect.calls import SPAWN, ThreadCalls
from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTurns
from unbraid.agents.codex.dialect.usage import ThreadTokens
from unbraid.agents.codex.records import CodexRecord, error_message, json_value
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, Unrecognized
from unbraid.read.clock import Clock
from unbraid.read.record import read_as, sound

PRINTED_SOURCE = "stdout"
RETRY = "retry"


class PrintedItem(msgspec.Struct):
    """One item, as far as it has come."""

    id: str = ""
    type: str = ""
    text: str | None = None
    message: str | None = None
    status: str | None = None
    command: str | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    changes: Any = None
    server: str | None = None
    tool: str | None = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    query: str | None = None
    items: Any = None
    prompt: str | None = None
    receiver_thread_ids: list[str] = []
    agents_states: dict[str, Any] = {}


class PrintedItems:
    """Translates the lines of a stdout."""

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
        self._thread: Thread | None = None
        self._process = 0  # item ids begin again with each
        self._turn = 0

    def translate(self, record: CodexRecord, out: list[RelayEvent]) -> None:
        """Takes the next line."""
        if record.type == "thread.started":
            self._started(record.thread_id or "")
            return
        thread = self._current()
        match record.type:
            case "turn.started":
                self._turn += 1
                if not thread.has_rollout:
                    self._turns.begin(thread, self._turn_id, out)
            case "turn.completed":
                self._completed(thread, record, out)
            case "turn.failed":
                self._failed(thread, record, out)
            case "error":
                problem = error_message(record.message or "")
                code = RETRY if problem.startswith("Reconnecting...") else None
                self._turns.failed(thread, "stdout-error", problem, out=out, code=code)
            case _:
                self._item(thread, record, read_as(PrintedItem, bytes(record.item)), out=out)

    @property
    def _turn_id(self) -> str:
        return f"{PRINTED_SOURCE}-{self._process}-{self._turn}"

    def _started(self, thread_id: str) -> None:
        self._process += 1
        thread = self._threads.thread(thread_id)
        if self._threads.root is None:
            self._threads.take_root(thread)
        # A process that continues another thread prints as the main agent, too.
        self._thread = thread if thread.context is not None else self._threads.root

    def _current(self) -> Thread:
        if self._thread is None:
            root = self._threads.root
            if root is None:
                root = self._threads.thread("")
                self._threads.take_root(root)
            self._thread = root
        return self._thread

    def _completed(self, thread: Thread, record: CodexRecord, out: list[RelayEvent]) -> None:
        if thread.has_rollout:
            if not thread.has_turns:
                self._turns.end_run((True, "completed"))
            return
        self._tokens.printed(thread, json_value(record.usage), out)
        context = thread.context
        answer = None if context is None else context.last_text or None
        self._turns.end(thread, self._turn_id, (True, "completed"), out=out, answer=answer)

    def _failed(self, thread: Thread, record: CodexRecord, out: list[RelayEvent]) -> None:
        problem = error_message(json_value(record.error))
        if thread.has_rollout and thread.has_turns:
            self._turns.failed(thread, "stdout-turn", problem, out=out)
            # Releases that print all agents' items say so also when only a sub-agent has failed.
            if self._turns.outcome is None:
                self._turns.end_run((False, "failed"))
            return
        self._turns.end(thread, self._turn_id, (False, "failed"), out=out, problem=problem)

    def _item(
        self, thread: Thread, record: CodexRecord, item: PrintedItem, *, out: list[RelayEvent]
    ) -> None:
        context = thread.context
        assert context is not None
        ended = record.type == "item.completed"
        if item.type == "error":
            if ended:
                problem = item.message or ""
                self._turns.failed(thread, PRINTED_SOURCE, problem, out=out, code="warning")
            return
        if thread.has_rollout:
            return
        name = item.id if self._process < 2 else f"{item.id}.{self._process}"
        if item.type in ("agent_message", "reasoning"):
            if not ended or not item.text:
                return
            is_text = item.type == "agent_message"
            if thread.said.is_new(PRINTED_SOURCE, "text" if is_text else "thinking", item.text):
                delta = TextDelta if is_text else ThinkingDelta
                out.append(delta(context.id, self._clock.ts, name, 0, item.text))
            if is_text:
                context.last_text = item.text
        elif item.type == "collab_tool_call":
            self._collab(thread, name, item, ended=ended, out=out)
        elif (made := _call(item)) is not None:
            tool, given = made
            self._calls.begin(thread, name, tool, given=given, out=out, message_id=name)
            if ended:
                self._calls.end(thread, name, _output(item), out=out, ok=_is_ok(item))
        else:
            out.append(Unrecognized(context.id, self._clock.ts, sound(record.raw)))

    def _collab(
        self,
        thread: Thread,
        name: str,
        item: PrintedItem,
        *,
        ended: bool,
        out: list[RelayEvent],
    ) -> None:
        given = {"message": item.prompt} if item.prompt else {}
        tool = item.tool or ""
        if tool != SPAWN and item.receiver_thread_ids:
            given["targets"] = item.receiver_thread_ids  # type: ignore[assignment]
        self._calls.begin(thread, name, tool, given=given, out=out, message_id=name)
        if not ended:
            return
        if tool == SPAWN:
            for child in item.receiver_thread_ids:
                self._calls.spawned(thread, name, child, out=out, prompt=item.prompt)
        self._calls.states(thread, item.agents_states, out)
        states = msgspec.json.encode(item.agents_states).decode() if item.agents_states else ""
        made = tool == SPAWN and item.receiver_thread_ids
        output = msgspec.json.encode({"agent_id": item.receiver_thread_ids[0]}) if made else states
        text = output.decode() if isinstance(output, bytes) else output
        self._calls.end(thread, name, text, out=out, ok=item.status != "failed")


def _call(item: PrintedItem) -> tuple[str, dict[str, Any]] | None:
    match item.type:
        case "command_execution":
            return "exec_command", {"command": item.command}
        case "file_change":
            return "apply_patch", {"changes": item.changes}
        case "mcp_tool_call":
            given = {"server": item.server, "arguments": item.arguments}
            return item.tool or "", given
        case "web_search":
            return "web_search", {"query": item.query}
        case "todo_list":
            return "update_plan", {"plan": item.items}
    return None


def _output(item: PrintedItem) -> Any:
    if item.type == "command_execution":
        return item.aggregated_output or ""
    return item.result or item.error or ""


def _is_ok(item: PrintedItem) -> bool:
    return item.status in (None, "completed") and item.exit_code in (None, 0) and not item.error
