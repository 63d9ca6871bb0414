"""What `codex exec` would have printed, from what an app-server writes in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.codex.server.messages import ServerMessage, server_message, text_of

# Parts of an item that are named alike, and what they are in the lines of `exec --json`.
_FIELDS: dict[str, tuple[str, ...]] = {
    "commandExecution": ("command", "aggregatedOutput", "exitCode", "status"),
    "fileChange": ("changes", "status"),
    "mcpToolCall": ("server", "tool", "arguments", "result", "error", "status"),
    "collabAgentToolCall": (
        "tool",
        "senderThreadId",
        "receiverThreadIds",
        "prompt",
        "agentsStates",
        "status",
    ),
    "webSearch": ("query",),
}
_TYPES = {"collabAgentToolCall": "collab_tool_call"}
_WORDS = ("status", "tool", "kind")  # whose values are names, too
# Items that `exec --json` reports only when they are whole.
_WHOLE = ("agentMessage", "reasoning", "webSearch")


class ExecRenderer:
    """Takes the lines of an app-server; gives the lines of `exec --json`, or the last words of the
    main agent, which is all that `exec` itself writes to its stdout. These are written to
    `answer_path`, too. An error that ends it goes to `show_error`.
    """

    def __init__(
        self,
        show_error: Callable[[str], None],
        *,
        prints_json: bool,
        answer_path: str | None = None,
    ) -> None:
        self._show_error, self._prints_json = show_error, prints_json
        self._answer_path = answer_path
        self._thread: str | None = None
        self._items = 0
        self._names: dict[str, str] = {}  # of items: the server's, and ours
        self._plan: tuple[str, list[dict[str, Any]]] | None = None
        self._used: dict[str, Any] = {}
        self._last_words = ""
        self._problem: str | None = None
        self._is_done = False

    def line(self, line: bytes) -> bytes:
        """Takes one line, without its end; returns what it makes visible at once."""
        message = server_message(line)
        if message is None:
            return line + b"\n" if line.strip() else b""
        records = self._records(message)
        if not self._prints_json:
            return b""
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)

    def end(self) -> bytes:
        """Returns the rest, when the stream is over."""
        if self._answer_path is not None:
            try:
                Path(self._answer_path).write_text(self._last_words, "utf-8", "replace")
            except OSError as error:
                self._show_error(f"{self._answer_path}: {error.strerror or error}")
        if self._problem is not None and not self._prints_json:
            self._show_error(self._problem)
        if self._prints_json or not self._last_words:
            return b""
        return self._last_words.encode("utf-8", "replace") + b"\n"

    def exit_code(self, code: int) -> int:
        """Returns the exit code of `exec`: the server's own, or 1 if the last turn is not well
        ended.
        """
        return code or int(not self._is_done)

    def _records(self, message: ServerMessage) -> list[dict[str, Any]]:
        if message.method is None:
            return self._answered(message)
        if message.thread_id not in (None, self._thread):
            return []  # `exec` prints nothing of sub-agents
        match message.method:
            case "turn/started":
                self._problem, self._plan, self._is_done = None, None, False
                return [{"type": "turn.started"}]
            case "turn/completed":
                return self._completed(message)
            case "item/started" | "item/completed":
                return self._item(message.method.replace("/", "."), message.params.get("item"))
            case "turn/plan/updated":
                return self._planned(message.params.get("plan"))
            case "thread/tokenUsage/updated":
                self._used = message.params.get("tokenUsage", {}).get("total") or {}
            case "warning" if message.thread_id is not None:
                about = {"type": "error", "message": text_of(message.params, "message")}
                return [{"type": "item.completed", "item": {"id": self._name(), **about}}]
            case "error":
                problem = text_of(message.params, "error", "message") or "error"
                return [{"type": "error", "message": problem}]
        return []

    def _answered(self, message: ServerMessage) -> list[dict[str, Any]]:
        thread = text_of(message.result, "thread", "id")
        if thread is not None and self._thread is None:
            self._thread = thread
            return [{"type": "thread.started", "thread_id": thread}]
        # A message that came too late for its turn is no failure: it begins the next one.
        if message.problem is not None and self._problem is None and not self._used:
            self._problem = message.problem
            return [{"type": "error", "message": message.problem}]
        return []

    def _completed(self, message: ServerMessage) -> list[dict[str, Any]]:
        records = []
        if self._plan is not None:
            records.append(_plan_record("item.completed", self._plan))
        status = text_of(message.params, "turn", "status")
        self._is_done = status == "completed"
        if status == "failed":
            self._problem = text_of(message.params, "turn", "error", "message") or "failed"
            return [*records, {"type": "turn.failed", "error": {"message": self._problem}}]
        if status == "interrupted":
            return records  # `exec` writes no last line then
        return [*records, {"type": "turn.completed", "usage": self._usage()}]

    def _usage(self) -> dict[str, Any]:
        used = {_snake(name): count for name, count in self._used.items() if name != "totalTokens"}
        if "cache_write_input_tokens" not in used:
            used.pop("reasoning_output_tokens", None)  # releases that do not count these
        return used

    def _item(self, kind: str, item: Any) -> list[dict[str, Any]]:
        if not isinstance(item, dict):
            return []
        what, ends = text_of(item, "type") or "", kind == "item.completed"
        if what in _WHOLE and not ends:
            return []
        match what:
            case "agentMessage":
                self._last_words = text_of(item, "text") or ""
                shown: dict[str, Any] = {"type": "agent_message", "text": self._last_words}
            case "reasoning":
                parts = item.get("summary")
                text = "\n".join(part for part in parts or () if isinstance(part, str))
                shown = {"type": "reasoning", "text": text}
                if not text:
                    return []
            case _ if what in _FIELDS:
                shown = {"type": _TYPES.get(what, _snake(what))}
                shown |= {_snake(name): _renamed(name, item.get(name)) for name in _FIELDS[what]}
                if what == "commandExecution":
                    shown["aggregated_output"] = shown["aggregated_output"] or ""
            case _:
                return []
        name = self._names.pop(text_of(item, "id") or "", None) or self._name()
        if not ends:
            self._names[text_of(item, "id") or ""] = name
        return [{"type": kind, "item": {"id": name, **shown}}]

    def _planned(self, steps: Any) -> list[dict[str, Any]]:
        kind = "item.started" if self._plan is None else "item.updated"
        name = self._name() if self._plan is None else self._plan[0]
        given = [step for step in steps or () if isinstance(step, dict)]
        items = [
            {"text": text_of(step, "step") or "", "completed": step.get("status") == "completed"}
            for step in given
        ]
        self._plan = (name, items)
        return [_plan_record(kind, self._plan)]

    def _name(self) -> str:
        self._items += 1
        return f"item_{self._items - 1}"


def _plan_record(kind: str, plan: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"type": kind, "item": {"id": plan[0], "type": "todo_list", "items": plan[1]}}


def _renamed(name: str, value: Any) -> Any:
    """Returns a value as `exec --json` writes it: names within it in snake case."""
    if name in _WORDS and isinstance(value, str):
        return _snake(value)
    if name == "changes" and isinstance(value, list):
        changes = [each for each in value if isinstance(each, dict)]
        return [
            {"path": each.get("path"), "kind": text_of(each, "kind", "type") or each.get("kind")}
            for each in changes
        ]
    if name == "agentsStates" and isinstance(value, dict):
        return {
            thread: {key: _renamed(key, part) for key, part in state.items()}
            for thread, state in value.items()
            if isinstance(state, dict)
        }
    return value


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
