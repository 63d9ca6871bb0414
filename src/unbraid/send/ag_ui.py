"""A run's events in, AG-UI events out, in the order that the protocol demands; and all messages of
the run so far, folded from these: what a viewer who comes late gets instead of them.

The same events always give the same AG-UI events. In AG-UI, a run ends where it needs an answer
from a person, and continues as another run of the same thread. So does this one at each permission
request: it continues with whatever comes next, the answer or the words of an agent that does not
wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ag_ui import core as ag

from unbraid import events as e
from unbraid.events.parts import decoded
from unbraid.fold.status import INTERRUPTED, RunState, status_of_end
from unbraid.fold.usage import Usage

# What an answer to a permission request looks like.
ANSWER = {
    "type": "object",
    "properties": {
        "behavior": {"type": "string", "enum": ["allow", "deny"]},
        "message": {"type": "string"},
    },
    "required": ["behavior"],
}


class AgUiRun:
    """One run of ours as a thread of AG-UI. `thread_id` and `run_id` are those of the request;
    `prompted` says that the client knows the first prompt.
    """

    def __init__(
        self,
        run: str,
        *,
        thread_id: str | None = None,
        run_id: str | None = None,
        prompted: bool = False,
    ) -> None:
        self.over = False
        self._run, self._thread_id, self._run_id = run, thread_id, run_id or run
        self._prompted = prompted
        self._source = ""
        self._agents: dict[int, AgUiAgent] = {}
        self._calls = AgUiCalls()
        self._usage: dict[str | None, Usage] = {}  # by model
        self._state = RunState()
        self._requests: dict[str, e.FleetPermissionAsked] = {}  # those that are open in the state
        self._segments = 0
        self._running = False
        self._prompts = 0
        self._ending: list[ag.BaseEvent] = []  # how the run has ended, for good or for now

    @property
    def interrupted(self) -> bool:
        """Whether the run has ended for now, because a person has to answer."""
        return self._segments > 0 and not self._running and not self.over

    def apply(self, event: e.FleetEvent) -> list[ag.BaseEvent]:
        """Applies the next event of the run, and returns its AG-UI events."""
        found: list[ag.BaseEvent] = []
        if isinstance(event, e.RequestReceived):
            self._source = event.source
            self._thread_id = self._thread_id or event.session_id or self._run
        if not self._running:
            found += self._begin(event.ts)
        return [*found, *self._apply(event)]

    def waits_for(self, request_id: str) -> bool:
        """Returns whether a permission request has no answer."""
        return request_id in self._requests

    def resume(self, run_id: str) -> None:
        """Gives the run another id, with which it continues after an interrupt."""
        self._run_id, self._segments = run_id, 0

    def so_far(self, messages: ag.BaseEvent, ts: int) -> list[ag.BaseEvent]:
        """Returns what a viewer needs that comes now, with all `messages` so far in one event."""
        found, agents = [self._started(ts)], self._agents.values()
        for agent in agents:
            found += [*agent.started(), *agent.finished()]
        found.append(messages)
        found += (each for agent in agents for each in agent.reopened(ts))
        return found + self._ending

    def _apply(self, event: e.FleetEvent) -> list[ag.BaseEvent]:
        self._state.apply(event)
        match event:
            case e.RequestReceived():
                return self._prompt(None, event, event.prompt)
            case e.StreamStart():
                return self._start(event)
            case e.FleetPermissionAsked():
                waiting = self._state.requests.get(event.request_id)
                if waiting is None or waiting.seq != event.seq:
                    return []
                self._requests[event.request_id] = event
                return self._interrupt(event.ts)
            case e.FleetPermissionReplied():
                self._requests.pop(event.request_id, None)
                answer = {"interruptId": event.request_id, "behavior": event.behavior}
                return [self._custom("permission_replied", event, answer)]
            case e.Done():
                return self._done(event)
            case _:
                agent = self._agents.get(event.stream_id)
                return [] if agent is None else self._of_agent(agent, event)

    def _of_agent(self, agent: AgUiAgent, event: e.FleetEvent) -> list[ag.BaseEvent]:
        match event:
            case e.Text() | e.Thinking():
                return agent.say(event)
            case e.FleetToolUse():
                return [*agent.close(event.ts), *self._calls.begin(agent, event)]
            case e.FleetToolResult():
                return [*agent.close(event.ts), *self._calls.result(agent, event)]
            case e.FleetPrompt():
                return [*agent.close(event.ts), *self._prompt(agent, event, event.text)]
            case e.FleetTokenUsage():
                self._usage.setdefault(event.model, Usage()).add(event)
                return [self._custom("token_usage", event, message_usage(event))]
            case e.FleetTurnComplete():
                agent.answer = event.result or agent.answer
                return agent.close(event.ts)
            case e.SubAgentResponse():
                agent.answer = event.content
            case e.FleetError():
                agent.error = event.message if event.code != "warning" else agent.error
                value = {"message": event.message, "code": event.code}
                return [self._custom("error", event, value)]
            case e.FleetRetracted():
                withdrawn = {"messageIds": event.message_ids}
                return [*agent.close(event.ts), self._custom("retracted", event, withdrawn)]
            case e.StreamEnd():
                open_now = self._state.requests
                self._requests = {n: r for n, r in self._requests.items() if n in open_now}
                agent.end = event
                return [*agent.close(event.ts), *agent.finished()]
            case e.FleetUnrecognized():
                raw = decoded(bytes(event.raw))
                return [ag.RawEvent(event=raw, source=self._source, **agent.tags(event.ts))]
            case e.FleetMalformed():
                bad = {"reason": event.reason, "offset": event.offset}
                return [self._custom("malformed", event, bad)]
            case _:
                pass
        return []

    def _start(self, event: e.StreamStart) -> list[ag.BaseEvent]:
        parent = self._agents.get(-1 if event.parent_stream_id is None else event.parent_stream_id)
        agent = AgUiAgent(self._run, event, None if parent is None else parent.tag)
        agent.call_id = self._calls.find(event.parent_stream_id, event.tool_use_id)
        agent.call_message = self._calls.message(agent.call_id)
        self._agents[event.stream_id] = agent
        asked = event.prompt if event.stream_id else None
        return [*agent.started(), *self._prompt(agent, event, asked)]

    def _prompt(
        self, agent: AgUiAgent | None, event: e.FleetEvent, text: str | None
    ) -> list[ag.BaseEvent]:
        """Returns an agent's prompt as a user's message."""
        if not text:
            return []
        first = self._prompts == 0
        self._prompts += 1
        if first and self._prompted:
            return []
        name = f"{self._run}/prompt.{event.seq}"
        tags = {"timestamp": event.ts or None} if agent is None else agent.tags(event.ts)
        return [
            ag.TextMessageStartEvent(message_id=name, role="user", **tags),
            ag.TextMessageContentEvent(message_id=name, delta=text, **tags),
            ag.TextMessageEndEvent(message_id=name, **tags),
        ]

    def _begin(self, ts: int) -> list[ag.BaseEvent]:
        """Begins the run, or continues it after an interrupt. Returns the events of that, for the
        agents that have not ended and those above them.
        """
        self._running, self._ending = True, []
        self._segments += 1
        found = [self._started(ts)]
        wanted: set[int] = set()
        by_tag = {agent.tag: agent for agent in self._agents.values()}
        for agent in self._agents.values():
            above: AgUiAgent | None = agent
            while agent.end is None and above is not None and above.stream_id not in wanted:
                wanted.add(above.stream_id)
                above = by_tag.get(above.parent)
        for number, agent in self._agents.items():
            if number in wanted:
                found += [*agent.started(), *agent.finished()]
        return found

    def _started(self, ts: int) -> ag.BaseEvent:
        return ag.RunStartedEvent(
            thread_id=self._thread_id or self._run,
            run_id=self._segment,
            protocol_version=ag.PROTOCOL_VERSION,
            timestamp=ts or None,
            metadata={OWN: {"run": self._run}},
        )

    @property
    def _segment(self) -> str:
        return self._run_id if self._segments <= 1 else f"{self._run_id}/{self._segments}"

    def _interrupt(self, ts: int) -> list[ag.BaseEvent]:
        closed, ending = self._close_all(ts), list[ag.BaseEvent]()
        for agent in reversed(self._agents.values()):
            own = [n for n, r in self._requests.items() if r.stream_id == agent.stream_id]
            ending += agent.suspended(ts, own) if agent.end is None else []
        interrupts = [self._as_interrupt(request) for request in self._requests.values()]
        self._running = False
        outcome = ag.RunFinishedInterruptOutcome(interrupts=interrupts)
        self._ending = [*ending, self._finished(ts, outcome=outcome)]
        return [*closed, *self._ending]

    def _as_interrupt(self, request: e.FleetPermissionAsked) -> ag.Interrupt:
        agent = self._agents.get(request.stream_id)
        return ag.Interrupt(
            id=request.request_id,
            reason="tool_call",
            message=f"{request.agent} asks for permission to use {request.tool}",
            tool_call_id=self._calls.find(request.stream_id, request.tool_use_id),
            subagent_run_id=None if agent is None else agent.tag,
            response_schema=ANSWER,
            metadata={OWN: {"tool": request.tool, "input": request.input}},
        )

    def _done(self, event: e.Done) -> list[ag.BaseEvent]:
        closed = self._close_all(event.ts)
        self._running, self.over = False, True
        self._ending = [self._outcome(event)]
        return [*closed, *self._ending]

    def _outcome(self, event: e.Done) -> ag.BaseEvent:
        main = self._agents.get(0)
        end = None if main is None else main.end
        if main is None or end is None or event.ok or end.ok:
            answer = None if main is None else main.answer
            return self._finished(event.ts, outcome=ag.RunFinishedSuccessOutcome(), result=answer)
        if status_of_end(end.reason, ok=end.ok) == INTERRUPTED:
            return self._finished(event.ts, outcome=ag.RunFinishedCancelledOutcome())
        return ag.RunErrorEvent(
            message=main.error or main.answer or end.reason,
            code=end.reason,
            usage=self._entries(),
            timestamp=event.ts or None,
        )

    def _finished(self, ts: int, **facts: Any) -> ag.BaseEvent:
        return ag.RunFinishedEvent(
            thread_id=self._thread_id or self._run,
            run_id=self._segment,
            usage=self._entries() if self.over else None,
            timestamp=ts or None,
            **facts,
        )

    def _entries(self) -> list[ag.TokenUsage] | None:
        return [_usage_entry(model, usage) for model, usage in self._usage.items()] or None

    def _close_all(self, ts: int) -> list[ag.BaseEvent]:
        return [each for agent in self._agents.values() for each in agent.close(ts)]

    def _custom(self, name: str, event: e.FleetEvent, value: dict[str, Any]) -> ag.BaseEvent:
        agent = self._agents.get(event.stream_id)
        known = {key: each for key, each in value.items() if each is not None}
        tags = {"timestamp": event.ts or None} if agent is None else agent.tags(event.ts)
        return ag.CustomEvent(name=name, value=known, **tags)


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
        self._latest: tuple[str, str] | None = None  # a message of the agent, and its last text

    def say(self, event: e.Text | e.Thinking) -> list[ag.BaseEvent]:
        """Returns the events of a piece of text or reasoning."""
        kind = "text" if isinstance(event, e.Text) else "reasoning"
        name = f"{event.message_id}/{self.stream_id}.{event.block}"
        if kind == "reasoning":
            name += ".reasoning"  # a message's ids are those of all kinds
        else:
            self._latest = (event.message_id, name)
        found: list[ag.BaseEvent] = []
        if self._open != (kind, name):
            found = [*self.close(event.ts), *self.open(kind, name, event.ts)]
        if event.delta:
            content = (
                ag.TextMessageContentEvent if kind == "text" else ag.ReasoningMessageContentEvent
            )
            found.append(content(message_id=name, delta=event.delta, **self.tags(event.ts)))
        return found

    def message_of_call(self, message_id: str | None) -> str | None:
        """Returns the message that a call is shown in: the text that stands before it, if the model
        has written both in one.
        """
        if message_id is None:
            return None
        if self._latest is not None and self._latest[0] == message_id:
            return self._latest[1]
        return f"{message_id}/{self.stream_id}"

    def open(self, kind: str, name: str, ts: int) -> list[ag.BaseEvent]:
        """Begins a message, or continues one. Returns the events of that."""
        self._open, tags = (kind, name), self.tags(ts)
        if kind == "text":
            return [ag.TextMessageStartEvent(message_id=name, role="assistant", **tags)]
        return [
            ag.ReasoningStartEvent(message_id=name, **tags),
            ag.ReasoningMessageStartEvent(message_id=name, **tags),
        ]

    def close(self, ts: int) -> list[ag.BaseEvent]:
        """Ends the message that is open. Returns the events of that."""
        if self._open is None:
            return []
        (kind, name), self._open, tags = self._open, None, self.tags(ts)
        if kind == "text":
            return [ag.TextMessageEndEvent(message_id=name, **tags)]
        return [
            ag.ReasoningMessageEndEvent(message_id=name, **tags),
            ag.ReasoningEndEvent(message_id=name, **tags),
        ]

    def reopened(self, ts: int) -> list[ag.BaseEvent]:
        """Returns the beginning of the message that is open, for a viewer that has not seen it."""
        return [] if self._open is None else self.open(*self._open, ts)

    def started(self) -> list[ag.BaseEvent]:
        """Returns the events that announce the agent; none for the run's own agent."""
        if self.tag is None:
            return []
        start = self._start
        facts: dict[str, Any] = {"streamId": start.stream_id, "depth": start.depth}
        facts |= {"model": self._model} if self._model else {}
        facts |= {"background": start.background} if start.background is not None else {}
        if start.resumes:
            facts["resumes"] = subagent_id(self._run, start.resumes)
        event = ag.SubagentStartedEvent(
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

    def finished(self) -> list[ag.BaseEvent]:
        """Returns the events that end the agent as it has ended; none for the run's own agent."""
        if self.tag is None or self.end is None:
            return []
        tags = self.tags(self.end.ts)
        if self.end.ok:
            return [ag.SubagentFinishedEvent(result=self.answer, **tags)]
        message = self.error or self.answer or self.end.reason
        return [ag.SubagentErrorEvent(message=message, code=self.end.reason, **tags)]

    def suspended(self, ts: int, requests: list[str]) -> list[ag.BaseEvent]:
        """Returns the events that end the agent's part of a run that waits for an answer;
        `requests` are its own.
        """
        if self.tag is None:
            return []
        outcome = ag.SubagentFinishedSuspendedOutcome(interrupt_ids=requests or None)
        return [
            ag.SubagentFinishedEvent(
                subagent_run_id=self.tag, outcome=outcome, timestamp=ts or None
            )
        ]

    def tags(self, ts: int) -> dict[str, Any]:
        """Returns what every event of the agent has."""
        return {"subagent_run_id": self.tag, "timestamp": ts or None}


def subagent_id(run: str, stream_id: int) -> str:
    """Returns the id of one invocation of a sub-agent."""
    return f"{run}/{stream_id}"


class AgUiCalls:
    """The tool calls of a run."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], str] = {}
        self._taken: set[str] = set()
        self._messages: dict[str, str] = {}

    def begin(self, agent: AgUiAgent, event: e.FleetToolUse) -> list[ag.BaseEvent]:
        """Returns the events of a call, which comes whole."""
        name = self._name(event.stream_id, event.tool_use_id)
        message, tags = agent.message_of_call(event.message_id), agent.tags(event.ts)
        if message is not None:
            self._messages[name] = message
        start = ag.ToolCallStartEvent(
            tool_call_id=name, tool_call_name=event.tool, parent_message_id=message, **tags
        )
        arguments = bytes(event.input_json).decode("utf-8", "replace")
        return [
            start,
            ag.ToolCallArgsEvent(tool_call_id=name, delta=arguments, **tags),
            ag.ToolCallEndEvent(tool_call_id=name, **tags),
        ]

    def result(self, agent: AgUiAgent, event: e.FleetToolResult) -> list[ag.BaseEvent]:
        """Returns the events of a result."""
        name = self.find(event.stream_id, event.tool_use_id) or event.tool_use_id
        facts: dict[str, object] = {"ok": event.ok}
        if event.duration_ms is not None:
            facts["durationMs"] = event.duration_ms
        result = ag.ToolCallResultEvent(
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


def message_usage(event: e.FleetTokenUsage) -> dict[str, object]:
    """Returns what one message has used, with what it cost."""
    usage = Usage()
    usage.add(event)
    found: dict[str, object] = _usage_entry(event.model, usage).model_dump(
        by_alias=True, exclude_none=True
    )
    found["messageId"] = event.message_id
    dollars = {"costUsd": event.cost_usd, "estimatedUsd": event.estimated_usd}
    return found | {name: value for name, value in dollars.items() if value is not None}


def _usage_entry(model: str | None, usage: Usage) -> ag.TokenUsage:
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return ag.TokenUsage(
        model=model,
        input_tokens=usage.input_tokens + cached,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_input_tokens=usage.cache_read_tokens,
        cache_write_input_tokens=usage.cache_creation_tokens,
    )


class AgUiMessages:
    """The messages of a run, in order."""

    def __init__(self) -> None:
        self._messages: dict[str, ag.Message] = {}
        self._words: dict[str, list[str]] = {}
        self._calls: dict[str, ag.ToolCall] = {}

    def apply(self, events: Iterable[ag.BaseEvent]) -> None:
        """Applies more events."""
        for event in events:
            match event:
                case ag.TextMessageStartEvent() | ag.ReasoningMessageStartEvent():
                    self._begin(event)
                case ag.TextMessageContentEvent() | ag.ReasoningMessageContentEvent():
                    self._words[event.message_id].append(event.delta)
                case ag.ToolCallStartEvent():
                    self._call(event)
                case ag.ToolCallArgsEvent():
                    self._calls[event.tool_call_id].function.arguments += event.delta
                case ag.ToolCallResultEvent():
                    self._messages[event.message_id] = ag.ToolMessage(
                        id=event.message_id,
                        content=event.content,
                        tool_call_id=event.tool_call_id,
                        subagent_run_id=event.subagent_run_id,
                        metadata=event.metadata,
                    )
                case ag.MessagesSnapshotEvent():
                    self._restore(event)
                case ag.CustomEvent() if event.name == "retracted":
                    self._retract(event.value["messageIds"])
                case _:
                    pass

    def snapshot(self, ts: int) -> ag.MessagesSnapshotEvent:
        """Returns all of them."""
        for name, words in self._words.items():
            message = self._messages.get(name)
            if message is not None and len(words) > 0:
                words[:] = ["".join(words)]
                message.content = words[0]
        return ag.MessagesSnapshotEvent(
            messages=list(self._messages.values()), timestamp=ts or None
        )

    def _restore(self, snapshot: ag.MessagesSnapshotEvent) -> None:
        self._messages, self._words, self._calls = {}, {}, {}
        for message in snapshot.messages:
            copy = message.model_copy(deep=True)
            self._messages[copy.id] = copy
            if isinstance(copy.content, str):
                self._words[copy.id] = [copy.content]
            for call in getattr(copy, "tool_calls", None) or ():
                self._calls[call.id] = call

    def _begin(self, event: ag.TextMessageStartEvent | ag.ReasoningMessageStartEvent) -> None:
        name, tag = event.message_id, event.subagent_run_id
        if name in self._messages:
            self._words.setdefault(name, [])
            return
        self._words[name] = []
        if isinstance(event, ag.ReasoningMessageStartEvent):
            self._messages[name] = ag.ReasoningMessage(id=name, content="", subagent_run_id=tag)
        elif event.role == "user":
            self._messages[name] = ag.UserMessage(id=name, content="", subagent_run_id=tag)
        else:
            self._messages[name] = ag.AssistantMessage(id=name, content="", subagent_run_id=tag)

    def _call(self, event: ag.ToolCallStartEvent) -> None:
        name = event.parent_message_id or event.tool_call_id
        call = ag.ToolCall(
            id=event.tool_call_id,
            type="function",
            function=ag.FunctionCall(name=event.tool_call_name, arguments=""),
        )
        self._calls[event.tool_call_id] = call
        message = self._messages.get(name)
        if not isinstance(message, ag.AssistantMessage):
            message = ag.AssistantMessage(
                id=name, tool_calls=[], subagent_run_id=event.subagent_run_id
            )
            self._messages[name] = message
        message.tool_calls = [*(message.tool_calls or []), call]

    def _retract(self, message_ids: list[str]) -> None:
        withdrawn = tuple(f"{each}/" for each in message_ids)
        for name in [name for name in self._messages if name.startswith(withdrawn)]:
            del self._messages[name]
            self._words.pop(name, None)
