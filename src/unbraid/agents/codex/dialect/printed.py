"""The stdout of `codex exec --json`: the main agent in whole items, without calls' ids.

Where the thread's rollout is among the sources, only errors are taken from here: everything else
stands there, with its id and its time. Some releases print all agents' items and do not name the
agents; without rollouts, the items are shown as the main agent's.
"""

from __future__ import annotations

from typing import Any

from unbraid.agents.codex.dialect.calls import SPAWN, ThreadCalls
from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.agents.codex.dialect.turns import ThreadTokens, ThreadTurns
from unbraid.agents.codex.records import CodexRecord, error_message, item_of, json_value
from unbraid.events import Unrecognized
from unbraid.read.record import any_json, sound

SOURCE = "stdout"
RETRY = "retry"


class PrintedItems:
    """Translates the lines of a stdout."""

    def __init__(
        self, threads: Threads, *, calls: ThreadCalls, turns: ThreadTurns, tokens: ThreadTokens
    ) -> None:
        self._threads, self._calls, self._turns, self._tokens = threads, calls, turns, tokens
        self._thread: Thread | None = None
        self._process = 0  # item ids begin again with each
        self._turn = 0

    def translate(self, record: CodexRecord) -> None:
        """Translates the next line."""
        if record.type == "thread.started":
            self._started(record.thread_id or "")
            return
        thread = self._current()
        match record.type:
            case "turn.started":
                self._turn += 1
                if not thread.has_rollout:
                    self._turns.begin(thread, self._turn_id)
            case "turn.completed" if not thread.has_rollout:
                self._tokens.printed(thread, json_value(record.usage))
                answer = thread.agent.last_text or None
                self._turns.end(thread, self._turn_id, (True, "completed"), answer=answer)
            case "turn.completed" if not thread.has_turns:
                self._turns.outcome = (True, "completed")
            case "turn.failed":
                self._failed(thread, record)
            case "error":
                problem = error_message(record.message or "")
                code = RETRY if problem.startswith("Reconnecting...") else None
                self._turns.failed(thread, "stdout-error", problem, code=code)
            case "item.started" | "item.updated" | "item.completed":
                self._item(thread, record)

    @property
    def _turn_id(self) -> str:
        return f"{SOURCE}-{self._process}-{self._turn}"

    def _started(self, thread_id: str) -> None:
        self._process += 1
        thread = self._threads.thread(thread_id)
        if self._threads.root is None:
            self._threads.make_root(thread)
        # A process that continues another thread prints as the main agent, too.
        self._thread = thread if thread.context is not None else self._threads.root

    def _current(self) -> Thread:
        if self._thread is None:
            if self._threads.root is None:
                self._threads.make_root(self._threads.thread(""))
            self._thread = self._threads.root
            assert self._thread is not None
        return self._thread

    def _failed(self, thread: Thread, record: CodexRecord) -> None:
        problem = error_message(json_value(record.error))
        if not (thread.has_rollout and thread.has_turns):
            self._turns.end(thread, self._turn_id, (False, "failed"), problem=problem)
            return
        self._turns.failed(thread, "stdout-turn", problem)
        # Releases that print all agents' items say so also when only a sub-agent has failed.
        if self._turns.outcome is None:
            self._turns.outcome = (False, "failed")

    def _item(self, thread: Thread, record: CodexRecord) -> None:
        value = json_value(record.item) or any_json(bytes(record.item))
        item = item_of(value if isinstance(value, dict) else {})
        ended = record.type == "item.completed"
        if item.type == "error":
            if ended:
                self._turns.failed(thread, SOURCE, item.message or "", code="warning")
            return
        if thread.has_rollout:
            return
        name = item.id if self._process < 2 else f"{item.id}.{self._process}"
        if item.type in ("agent_message", "reasoning"):
            if not ended or not item.text:
                return
            kind = "text" if item.type == "agent_message" else "thinking"
            if thread.said.is_new(SOURCE, kind, item.text):
                self._threads.say(thread, kind, name, [item.text])
            if kind == "text":
                thread.agent.last_text = item.text
        elif item.type == "collab_tool_call":
            tool, given = item.tool or "", dict[str, Any]()
            if item.prompt:
                given["message"] = item.prompt
            if tool != SPAWN and item.receivers:
                given["targets"] = item.receivers
            self._calls.report_collab(
                thread, name, item, tool=tool, given=given, ended=ended, message_id=name
            )
        elif not self._calls.report(thread, name, item, ended=ended, message_id=name):
            line = Unrecognized(thread.agent.id, self._threads.clock.ts, sound(record.raw))
            self._threads.out.append(line)
