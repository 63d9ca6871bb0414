"""All messages of a run so far, folded from its AG-UI events: what a viewer who comes late gets
instead of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    FunctionCall,
    Message,
    MessagesSnapshotEvent,
    ReasoningMessage,
    ReasoningMessageContentEvent,
    ReasoningMessageStartEvent,
    TextMessageContentEvent,
    TextMessageStartEvent,
    ToolCall,
    ToolCallArgsEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    ToolMessage,
    UserMessage,
)


class AgUiMessages:
    """The messages of a run, in order."""

    def __init__(self) -> None:
        self._messages: dict[str, Message] = {}
        self._words: dict[str, list[str]] = {}
        self._calls: dict[str, ToolCall] = {}

    def apply(self, events: Iterable[BaseEvent]) -> None:
        """Takes more events."""
        for event in events:
            match event:
                case TextMessageStartEvent() | ReasoningMessageStartEvent():
                    self._begin(event)
                case TextMessageContentEvent() | ReasoningMessageContentEvent():
                    self._words[event.message_id].append(event.delta)
                case ToolCallStartEvent():
                    self._call(event)
                case ToolCallArgsEvent():
                    self._calls[event.tool_call_id].function.arguments += event.delta
                case ToolCallResultEvent():
                    self._messages[event.message_id] = ToolMessage(
                        id=event.message_id,
                        content=event.content,
                        tool_call_id=event.tool_call_id,
                        subagent_run_id=event.subagent_run_id,
                        metadata=event.metadata,
                    )
                case MessagesSnapshotEvent():
                    self._restore(event)
                case CustomEvent() if event.name == "retracted":
                    self._retract(event.value["messageIds"])
                case _:
                    pass

    def snapshot(self, ts: int) -> MessagesSnapshotEvent:
        """Returns all of them."""
        for name, words in self._words.items():
            message = self._messages.get(name)
            if message is not None and len(words) > 0:
                words[:] = ["".join(words)]
                message.content = words[0]
        return MessagesSnapshotEvent(messages=list(self._messages.values()), timestamp=ts or None)

    def _restore(self, snapshot: MessagesSnapshotEvent) -> None:
        self._messages, self._words, self._calls = {}, {}, {}
        for message in snapshot.messages:
            copy = message.model_copy(deep=True)
            self._messages[copy.id] = copy
            if isinstance(copy.content, str):
                self._words[copy.id] = [copy.content]
            for call in getattr(copy, "tool_calls", None) or ():
                self._calls[call.id] = call

    def _begin(self, event: TextMessageStartEvent | ReasoningMessageStartEvent) -> None:
        name, tag = event.message_id, event.subagent_run_id
        if name in self._messages:
            self._words.setdefault(name, [])
            return
        self._words[name] = []
        if isinstance(event, ReasoningMessageStartEvent):
            self._messages[name] = ReasoningMessage(id=name, content="", subagent_run_id=tag)
        elif event.role == "user":
            self._messages[name] = UserMessage(id=name, content="", subagent_run_id=tag)
        else:
            self._messages[name] = AssistantMessage(id=name, content="", subagent_run_id=tag)

    def _call(self, event: ToolCallStartEvent) -> None:
        name = event.parent_message_id or event.tool_call_id
        call = ToolCall(
            id=event.tool_call_id,
            type="function",
            function=FunctionCall(name=event.tool_call_name, arguments=""),
        )
        self._calls[event.tool_call_id] = call
        message = self._messages.get(name)
        if not isinstance(message, AssistantMessage):
            message = AssistantMessage(
                id=name, tool_calls=[], subagent_run_id=event.subagent_run_id
            )
            self._messages[name] = message
        message.tool_calls = [*(message.tool_calls or []), call]

    def _retract(self, message_ids: list[str]) -> None:
        withdrawn = tuple(f"{each}/" for each in message_ids)
        for name in [name for name in self._messages if name.startswith(withdrawn)]:
            del self._messages[name]
            self._words.pop(name, None)
