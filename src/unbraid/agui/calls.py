"""Tool calls, by ids that are unique in a run: some agents number theirs, each from the
beginning.
"""

from __future__ import annotations

from ag_ui.core import (
    BaseEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from unbraid import events as e
from unbraid.agui.agent import OWN, AgUiAgent


class AgUiCalls:
    """The tool calls of a run."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], str] = {}
        self._taken: set[str] = set()
        self._messages: dict[str, str] = {}

    def begin(self, agent: AgUiAgent, event: e.FleetToolUse) -> list[BaseEvent]:
        """Returns the events of a call, which comes whole."""
        name = self._name(event.stream_id, event.tool_use_id)
        message, tags = agent.message_of_call(event.message_id), agent.tags(event.ts)
        if message is not None:
            self._messages[name] = message
        start = ToolCallStartEvent(
            tool_call_id=name, tool_call_name=event.tool, parent_message_id=message, **tags
        )
        arguments = bytes(event.input_json).decode("utf-8", "replace")
        return [
            start,
            ToolCallArgsEvent(tool_call_id=name, delta=arguments, **tags),
            ToolCallEndEvent(tool_call_id=name, **tags),
        ]

    def result(self, agent: AgUiAgent, event: e.FleetToolResult) -> list[BaseEvent]:
        """Returns the events of a result."""
        name = self.find(event.stream_id, event.tool_use_id) or event.tool_use_id
        facts: dict[str, object] = {"ok": event.ok}
        if event.duration_ms is not None:
            facts["durationMs"] = event.duration_ms
        result = ToolCallResultEvent(
            message_id=f"{name}/result",
            tool_call_id=name,
            content=event.content,
            role="tool",
            metadata={OWN: facts},
            **agent.tags(event.ts),
        )
        return [result]

    def find(self, stream_id: int | None, tool_use_id: str | None) -> str | None:
        """Returns the id that a call of an agent has here."""
        if stream_id is None or tool_use_id is None:
            return None
        return self._names.get((stream_id, tool_use_id))

    def message(self, name: str | None) -> str | None:
        """Returns the message that a call is shown in."""
        return None if name is None else self._messages.get(name)

    def _name(self, stream_id: int, tool_use_id: str) -> str:
        name, number = tool_use_id, 1
        while name in self._taken:
            number += 1
            name = f"{tool_use_id}/{stream_id}.{number}"
        self._taken.add(name)
        self._names[stream_id, tool_use_id] = name
        return name
