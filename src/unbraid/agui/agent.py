"""One agent of a run, as AG-UI sees it: a sub-agent with an id, or the run's own agent without."""

from __future__ import annotations

from typing import Any

from ag_ui.core import (
    BaseEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentFinishedSuspendedOutcome,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)

from unbraid import events as e

OWN = "unbraid"


class AgUiAgent:
    """What is open in one agent's part of the stream.

    AG-UI has messages where an agent has blocks: each block becomes one, with an id of its own.
    """

    def __init__(self, run: str, start: e.StreamStart, parent: str | None) -> None:
        self.stream_id = start.stream_id
        self.tag = None if start.stream_id == 0 else subagent_id(run, start.stream_id)
        self.parent = parent
        self.call_id: str | None = None
        self.call_message: str | None = None
        self.answer: str | None = None
        self.error: str | None = None
        self.end: e.StreamEnd | None = None
        self._run, self._start = run, start
        self._model = start.model
        self._open: tuple[str, str] | None = None  # the kind and the id of the open message
        self._said: tuple[str, str] | None = None  # a message of the agent, and its latest text

    def say(self, event: e.Text | e.Thinking) -> list[BaseEvent]:
        """Returns the events of a piece of text or reasoning."""
        kind = "text" if isinstance(event, e.Text) else "reasoning"
        name = f"{event.message_id}/{self.stream_id}.{event.block}"
        if kind == "reasoning":
            name += ".reasoning"  # a message's ids are those of all kinds
        else:
            self._said = (event.message_id, name)
        found: list[BaseEvent] = []
        if self._open != (kind, name):
            found = [*self.close(event.ts), *self.open(kind, name, event.ts)]
        if event.delta:
            content = TextMessageContentEvent if kind == "text" else ReasoningMessageContentEvent
            found.append(content(message_id=name, delta=event.delta, **self.tags(event.ts)))
        return found

    def message_of_call(self, message_id: str | None) -> str | None:
        """Returns the message that a call is shown in: the text that stands before it, if the model
        has said both in one.
        """
        if message_id is None:
            return None
        if self._said is not None and self._said[0] == message_id:
            return self._said[1]
        return f"{message_id}/{self.stream_id}"

    def open(self, kind: str, name: str, ts: int) -> list[BaseEvent]:
        """Begins a message, or continues one. Returns the events of that."""
        self._open, tags = (kind, name), self.tags(ts)
        if kind == "text":
            return [TextMessageStartEvent(message_id=name, role="assistant", **tags)]
        return [
            ReasoningStartEvent(message_id=name, **tags),
            ReasoningMessageStartEvent(message_id=name, **tags),
        ]

    def close(self, ts: int) -> list[BaseEvent]:
        """Ends the message that is open. Returns the events of that."""
        if self._open is None:
            return []
        (kind, name), self._open, tags = self._open, None, self.tags(ts)
        if kind == "text":
            return [TextMessageEndEvent(message_id=name, **tags)]
        return [
            ReasoningMessageEndEvent(message_id=name, **tags),
            ReasoningEndEvent(message_id=name, **tags),
        ]

    def reopened(self, ts: int) -> list[BaseEvent]:
        """Returns the beginning of the message that is open, for a viewer that has not seen it."""
        return [] if self._open is None else self.open(*self._open, ts)

    def started(self) -> list[BaseEvent]:
        """Returns the events that announce the agent; none for the run's own agent."""
        if self.tag is None:
            return []
        start = self._start
        facts: dict[str, Any] = {"streamId": start.stream_id, "depth": start.depth}
        facts |= {"model": self._model} if self._model else {}
        facts |= {"background": start.background} if start.background is not None else {}
        if start.resumes:
            facts["resumes"] = subagent_id(self._run, start.resumes)
        event = SubagentStartedEvent(
            subagent_run_id=self.tag,
            name=start.agent,
            description=start.description,
            parent_subagent_run_id=self.parent,
            parent_tool_call_id=self.call_id,
            parent_message_id=self.call_message,
            timestamp=start.ts or None,
            metadata={OWN: facts},
        )
        return [event]

    def finished(self) -> list[BaseEvent]:
        """Returns the events that end the agent as it has ended; none for the run's own agent."""
        if self.tag is None or self.end is None:
            return []
        tags = self.tags(self.end.ts)
        if self.end.ok:
            return [SubagentFinishedEvent(result=self.answer, **tags)]
        message = self.error or self.answer or self.end.reason
        return [SubagentErrorEvent(message=message, code=self.end.reason, **tags)]

    def suspended(self, ts: int, requests: list[str]) -> list[BaseEvent]:
        """Returns the events that end the agent's part of a run that waits for an answer;
        `requests` are its own.
        """
        if self.tag is None:
            return []
        outcome = SubagentFinishedSuspendedOutcome(interrupt_ids=requests or None)
        return [
            SubagentFinishedEvent(subagent_run_id=self.tag, outcome=outcome, timestamp=ts or None)
        ]

    def tags(self, ts: int) -> dict[str, Any]:
        """Returns what every event of the agent has."""
        return {"subagent_run_id": self.tag, "timestamp": ts or None}


def subagent_id(run: str, stream_id: int) -> str:
    """Returns the id of one invocation of a sub-agent."""
    return f"{run}/{stream_id}"
