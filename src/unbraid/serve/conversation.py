"""One stream's events as a conversation: whole blocks in order, each tool call with its result."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from unbraid import events as e


class Item(Struct, omit_defaults=True):
    """One thing said, done or told. `kind`: prompt, text, thinking, tool, response, error or
    turn.
    """

    kind: str
    seq: int
    ts: int
    text: str | None = None
    message_id: str | None = None
    tool: str | None = None
    tool_use_id: str | None = None
    input: Any = None
    result: str | None = None
    parts: list[Any] | None = None
    ok: bool | None = None


class Conversation:
    """Folds the events of one stream."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._parts: list[str] = []
        self._key: tuple[str, str, int] | None = None
        self._calls: dict[str, Item] = {}

    def apply(self, event: e.FleetEvent) -> None:
        """Take in the next event of the stream."""
        match event:
            case e.Text() | e.Thinking():
                self._grow(event)
            case e.RequestReceived() | e.StreamStart() if event.prompt:
                self._prompt(event, event.prompt)
            case e.FleetPrompt():
                self._prompt(event, event.text)
            case e.FleetToolUse():
                item = self._add(event, "tool", tool=event.tool, tool_use_id=event.tool_use_id)
                item.input, item.message_id = event.input_json, event.message_id
                self._calls[event.tool_use_id] = item
            case e.FleetToolResult() if event.tool_use_id in self._calls:
                call = self._calls.pop(event.tool_use_id)
                call.result, call.ok, call.parts = event.content, event.ok, event.parts
            case e.SubAgentResponse():
                self._add(event, "response", text=event.content)
            case e.FleetError():
                self._add(event, "error", text=event.message)
            case e.FleetTurnComplete():
                self._add(event, "turn", ok=event.ok)
            case e.FleetRetracted():
                gone = set(event.message_ids)
                self.finish()
                self.items = [item for item in self.items if item.message_id not in gone]

    def finish(self) -> list[Item]:
        """Everything so far."""
        if self._parts:
            self.items[-1].text = "".join(self._parts)
            self._parts = []
        self._key = None
        return self.items

    def _grow(self, event: e.Text | e.Thinking) -> None:
        key = (event.type, event.message_id, event.block)
        if key != self._key:
            self._add(event, event.type, message_id=event.message_id)
            self._key = key
        self._parts.append(event.delta)

    def _prompt(self, event: e.FleetEvent, text: str) -> None:
        # A run tells its first prompt twice, when it is asked for and when the root begins.
        if not (self.items and self.items[-1].kind == "prompt" and self.items[-1].text == text):
            self._add(event, "prompt", text=text)

    def _add(self, event: e.FleetEvent, kind: str, **fields: Any) -> Item:
        self.finish()
        self.items.append(Item(kind, event.seq, event.ts, **fields))
        return self.items[-1]
