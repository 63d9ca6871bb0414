"""A run's events in, the spans that have ended out: one trace a run, independent of any format.

An agent is an `invoke_agent` span, below that of the call that started it, and so below the agent
that made the call. The main agent's span comes last, with the run's `done`: only then its totals
are known.

A model message is a `chat` span. Nothing says when a request to the model went out. It could when
the agent had the last of what it waited for: its prompt, or the results of its tools. A message
ends with the last of its words. What it has used is often known later, when the next one has begun,
and words may come after that: so a message is complete when its usage is known and its agent has
continued.

Ids follow the W3C's rules. They are derived from the run and from what the span stands for, never
made up: if a run is sent a second time, from wherever, it has the same spans. What was said has the
form of the GenAI conventions: messages of parts, as JSON in one attribute. How much of it a span
holds is bounded: collectors refuse what is too large, and with it all spans of the same request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from unbraid import events as e
from unbraid.fold.status import status_of_end
from unbraid.fold.usage import Totals, Usage

Value = str | int | float | bool
Attributes = dict[str, Value]

# Names come from agents, which may call a tool anything.
MAX_NAME_CHARS = 200


class SpanEvent(Struct, frozen=True):
    """Something that happened at one moment within a span."""

    name: str
    ts: int
    attributes: Attributes


class Span(Struct, frozen=True):
    """One piece of work that has ended. Times are milliseconds since 1970.

    `seq` is the event of the run with which it was complete. `remote` says that the work was done
    by a model, elsewhere. `error` is None if it went well, otherwise a word for what went wrong.
    """

    name: str
    span_id: int
    parent_id: int | None
    start: int
    end: int
    seq: int
    attributes: Attributes
    events: tuple[SpanEvent, ...] = ()
    links: tuple[int, ...] = ()
    remote: bool = False
    error: str | None = None


def known(values: Mapping[str, Value | None]) -> Attributes:
    """Returns attributes without those that are unknown."""
    return {name: value for name, value in values.items() if value is not None}


def short(name: str) -> str:
    """Returns a name that is no longer than names are."""
    return name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…"


_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_NAMESPACE = "unbraid"


class TraceParent(Struct, frozen=True):
    """A span of another program, as `TRACEPARENT` names it."""

    trace_id: int
    span_id: int
    flags: int = 1

    @classmethod
    def parse(cls, text: str | None) -> TraceParent | None:
        """Returns the span that a `TRACEPARENT` names; None if it names none."""
        found = _TRACEPARENT.fullmatch((text or "").strip())
        if found is None or found[1] == "ff" or (found[1] == "00" and found[5]):
            return None
        trace_id, span_id = int(found[2], 16), int(found[3], 16)
        return cls(trace_id, span_id, int(found[4], 16)) if trace_id and span_id else None

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{self.flags:02x}"


class TraceIdentity:
    """The ids of one run; below `parent`, if it has one, the run is part of that one's trace."""

    def __init__(self, run: str, parent: TraceParent | None = None) -> None:
        self.run, self.parent = run, parent
        self.trace_id = parent.trace_id if parent else _derived("trace", run, size=16)

    def span_id(self, kind: str, stream_id: int, name: str = "") -> int:
        """Returns the id of a span: of an agent, or of one thing that it did."""
        return _derived(kind, self.run, str(stream_id), name, size=8)

    @property
    def root(self) -> TraceParent:
        """The span of the main agent, for programs that trace work below it."""
        flags = self.parent.flags if self.parent else 1
        return TraceParent(self.trace_id, self.span_id("agent", 0), flags)


def _derived(*parts: str, size: int) -> int:
    # Lengths, so that no two lists of parts are one text; zero is no id.
    text = "".join(f"{len(part)}:{part}" for part in (_NAMESPACE, *parts))
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:size], "big") or 1


# The conventions' names, where they differ from those of the list of prices.
PROVIDERS = {"google": "gcp.gen_ai", "mistral": "mistral_ai", "x-ai": "x_ai"}


class TraceFacts:
    """A run's ids, what is known about it, and how much of it is to be shown.

    With `content`, spans have what agents were asked, what they said, and the inputs and results of
    their tools. `provider` returns who serves a model, if that is known.
    """

    def __init__(
        self, ids: TraceIdentity, provider: Callable[[str], str | None], *, content: bool
    ) -> None:
        self.ids, self.content, self._provider = ids, content, provider
        self.session_id: str | None = None
        self.prompt: str | None = None

    def attributes(self, operation: str | None, agent: str, stream_id: int) -> Attributes:
        """Returns what every span says: whose work it is, and of which run."""
        return known(
            {
                "gen_ai.operation.name": operation,
                "gen_ai.agent.name": short(agent),
                "gen_ai.conversation.id": self.session_id,
                "unbraid.run": self.ids.run,
                "unbraid.stream_id": stream_id,
            }
        )

    def model(self, model: str | None) -> Attributes:
        """Returns which model it was, and who serves it."""
        if model is None:
            return {}
        provider = self._provider(model)
        return {
            # The conventions want a provider always.
            "gen_ai.provider.name": PROVIDERS.get(provider or "", provider or "_OTHER"),
            "gen_ai.request.model": short(model),
        }


def usage_attributes(prefix: str, usage: Usage) -> Attributes:
    """Returns what an agent or run has used, under names of ours: with those of the conventions, a
    sum over all spans would count each message twice.
    """
    facts = asdict(usage) | {"unpriced_tokens": usage.unpriced_tokens or None}
    return known({f"{prefix}.{name}": value for name, value in facts.items()})


# Of one attribute; some collectors take no request of more than a megabyte.
MAX_CONTENT_CHARS = 32_768
CUT = "… (cut)"

Part = dict[str, Any]


def cut(text: str, most: int = MAX_CONTENT_CHARS) -> str:
    """Returns a text that is no longer than an attribute may be."""
    return text if len(text) <= most else text[:most] + CUT


def message(role: str, parts: list[Part], **facts: str) -> str:
    """Returns one message as the attributes for messages have it."""
    return msgspec.json.encode([{"role": role, "parts": parts, **facts}]).decode()


def text_part(text: str) -> Part:
    """Returns words as a part."""
    return {"type": "text", "content": text}


class MessageParts:
    """What a model says in one message, joined from its deltas."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[str, int], list[str]] = {}
        self._parts: list[Part | tuple[str, int]] = []
        self._room = MAX_CONTENT_CHARS
        self._calls = False

    def say(self, kind: str, block: int, delta: str) -> None:
        """Adds more of a block: of a `text`, or of `reasoning`."""
        key = (kind, block)
        if key not in self._blocks:
            self._blocks[key] = []
            self._parts.append(key)
        if self._room > 0 and delta:
            self._room -= len(delta)
            self._blocks[key].append(delta if self._room >= 0 else delta[: self._room] + CUT)

    def call(self, tool_use_id: str, tool: str, arguments: bytes) -> None:
        """Adds a tool call."""
        self._calls = True
        part: Part = {"type": "tool_call", "id": tool_use_id, "name": tool}
        text = arguments.decode("utf-8", "replace")
        if len(text) <= self._room:
            part["arguments"] = msgspec.Raw(text.encode())
            self._room -= len(text)
        self._parts.append(part)

    def encoded(self) -> str:
        """Returns the message as JSON."""
        parts = [
            part
            if isinstance(part, dict)
            else {"type": part[0], "content": "".join(self._blocks[part])}
            for part in self._parts
        ]
        return message("assistant", parts, finish_reason="tool_call" if self._calls else "stop")


class RunTrace:
    """The trace of one run. It holds what is open, and gives out what has ended."""

    def __init__(
        self,
        ids: TraceIdentity,
        *,
        provider: Callable[[str], str | None] = lambda model: None,
        content: bool = False,
    ) -> None:
        self.ids = ids
        self.over = False
        self._facts = TraceFacts(ids, provider, content=content)
        self._agents: dict[int, AgentTrace] = {}
        self._requests: dict[str, tuple[e.FleetPermissionAsked, int]] = {}
        self._totals = Totals()
        self._main: Span | None = None

    def apply(self, event: e.FleetEvent) -> list[Span]:
        """Applies the next event of the run; returns the spans that have ended by it."""
        self._totals.fold(event)
        match event:
            case e.RequestReceived():
                self._facts.session_id = event.session_id
                self._facts.prompt = event.prompt
                return []
            case e.StreamStart():
                self._agents[event.stream_id] = AgentTrace(self._facts, event, self._parent(event))
                return []
            case e.FleetPermissionAsked():
                self._ask(event)
                return []
            case e.FleetPermissionReplied():
                asked = self._requests.pop(event.request_id, None)
                return [] if asked is None else [self._wait(*asked, event)]
            case e.StreamEnd():
                return self._end(event)
            case e.Done():
                return self._done(event)
            case e.FleetSessionMeta():
                self._facts.session_id = self._facts.session_id or event.session_id
            case _:
                pass
        agent = self._agents.get(event.stream_id)
        return [] if agent is None else agent.apply(event)

    def _parent(self, start: e.StreamStart) -> int | None:
        if start.parent_stream_id is None:
            given = self.ids.parent
            if start.stream_id:
                return self.ids.span_id("agent", 0)
            return given.span_id if given else None
        parent = self._agents.get(start.parent_stream_id)
        call = None if parent is None else parent.call_span(start.tool_use_id)
        return self.ids.span_id("agent", start.parent_stream_id) if call is None else call

    def _ask(self, event: e.FleetPermissionAsked) -> None:
        agent = self._agents.get(event.stream_id)
        if agent is not None:
            call = agent.call_span(event.tool_use_id)
            self._requests[event.request_id] = event, agent.span_id if call is None else call

    def _wait(self, asked: e.FleetPermissionAsked, parent_id: int, end: e.FleetEvent) -> Span:
        replied = end if isinstance(end, e.FleetPermissionReplied) else None
        tool, stream_id = short(asked.tool), asked.stream_id
        attributes = self._facts.attributes(None, asked.agent, stream_id) | known(
            {
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": asked.tool_use_id,
                "unbraid.permission.request_id": short(asked.request_id),
                "unbraid.permission.behavior": replied.behavior if replied else None,
                "unbraid.permission.by": replied.by if replied else None,
            }
        )
        return Span(
            name=f"permission {tool}".strip(),
            # Some CLIs number their requests, from the beginning in each process.
            span_id=self.ids.span_id("permission", stream_id, f"{asked.request_id} {asked.seq}"),
            parent_id=parent_id,
            start=asked.ts,
            end=max(end.ts, asked.ts),
            seq=end.seq,
            attributes=attributes,
        )

    def _end(self, event: e.StreamEnd) -> list[Span]:
        agent = self._agents.pop(event.stream_id, None)
        if agent is None:
            return []
        ended = self._unanswered(event, event.stream_id)
        *inside, own = agent.end(event)
        if event.stream_id == 0:
            self._main = own
            return [*ended, *inside]
        return [*ended, *inside, own]

    def _done(self, event: e.Done) -> list[Span]:
        self.over = True
        ended = self._unanswered(event, None)
        if self._main is not None:
            total = usage_attributes("unbraid.total", self._totals.total())
            attributes = self._main.attributes | total | {"unbraid.streams": event.streams}
            ended.append(replace(self._main, attributes=attributes, seq=event.seq))
            self._main = None
        return ended

    def _unanswered(self, event: e.FleetEvent, stream_id: int | None) -> list[Span]:
        ended: list[Span] = []
        for name, (asked, parent_id) in list(self._requests.items()):
            if stream_id in (None, asked.stream_id):
                del self._requests[name]
                ended.append(self._wait(asked, parent_id, event))
        return ended


# As many as OpenTelemetry's own SDK keeps.
MAX_SPAN_EVENTS = 128


class AgentTrace:
    """What one agent has done so far; the methods return the spans that have ended by an event."""

    def __init__(self, facts: TraceFacts, start: e.StreamStart, parent_id: int | None) -> None:
        self.span_id = facts.ids.span_id("agent", start.stream_id)
        self._facts, self._start, self._parent_id = facts, start, parent_id
        self._chats = Chats(facts, start, self.span_id)
        self._agent_id = start.agent_id
        self._answer: str | None = None
        self._calls: dict[str, tuple[int, e.FleetToolUse]] = {}
        self._times_called: dict[str, int] = {}
        self._failed_tools = 0
        self._events: list[SpanEvent] = []
        if start.prompt is not None:
            self._chats.ask(start.ts, start.prompt)

    def apply(self, event: e.FleetEvent) -> list[Span]:
        """Applies one event of the agent's stream, but not its end. Returns the spans that have
        ended by it.
        """
        match event:
            case e.Text() | e.Thinking():
                return self._chats.say(event)
            case e.FleetToolUse():
                self._call(event)
                return self._chats.call(event)
            case e.FleetToolResult():
                self._chats.give_result(event)
                return self._result(event)
            case e.FleetTokenUsage():
                return self._chats.use(event)
            case e.FleetPrompt():
                self._chats.ask(event.ts, event.text)
            case e.FleetTurnComplete():
                self._answer = event.result or self._answer
                if not event.ok:
                    error_type: Attributes = {"error.type": short(event.subtype)}
                    self._add_event(f"turn {event.reason}", event.ts, error_type)
                return self._chats.end_turn(event.seq)
            case e.FleetSessionMeta():
                self._agent_id = event.agent_id or self._agent_id
                self._chats.model = event.model or self._chats.model
            case e.SubAgentResponse():
                self._answer = event.content
            case e.FleetError():
                self._fail(event)
            case e.FleetRetracted():
                self._chats.retract(event.message_ids)
                self._add_event("retracted", event.ts, {"unbraid.messages": len(event.message_ids)})
            case _:
                pass
        return []

    def call_span(self, tool_use_id: str | None) -> int | None:
        """Returns the span of a call that was seen."""
        if tool_use_id is None or tool_use_id not in self._times_called:
            return None
        return self._call_id(tool_use_id)

    def end(self, event: e.StreamEnd) -> list[Span]:
        """Applies the end of the agent. Returns what was open in it, and the agent itself last."""
        seq = event.seq
        ended = self._chats.end(seq)
        for name, (span_id, call) in list(self._calls.items()):
            del self._calls[name]
            ended.append(self._tool_span(span_id, call, end=event.ts, seq=seq))
        return [*ended, self._span(event)]

    def _call(self, event: e.FleetToolUse) -> None:
        name = event.tool_use_id
        self._times_called[name] = self._times_called.get(name, 0) + 1
        self._calls[name] = (self._call_id(name), event)

    def _call_id(self, tool_use_id: str) -> int:
        times = self._times_called[tool_use_id]
        name = tool_use_id if times == 1 else f"{tool_use_id} {times}"
        return self._facts.ids.span_id("tool", self._start.stream_id, name)

    def _result(self, event: e.FleetToolResult) -> list[Span]:
        span_id, call = self._calls.pop(event.tool_use_id, (0, None))
        self._failed_tools += not event.ok
        if call is None:
            return []
        return [self._tool_span(span_id, call, end=event.ts, seq=event.seq, result=event)]

    def _tool_span(
        self,
        span_id: int,
        call: e.FleetToolUse,
        *,
        end: int,
        seq: int,
        result: e.FleetToolResult | None = None,
    ) -> Span:
        tool, content = short(call.tool), self._facts.content
        arguments = None
        if content:
            arguments = cut(bytes(call.input_json).decode("utf-8", "replace"))
        failed = result is not None and not result.ok
        attributes = self._attributes("execute_tool") | known(
            {
                "gen_ai.tool.name": tool,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": short(call.tool_use_id),
                "gen_ai.tool.call.arguments": arguments,
                "gen_ai.tool.call.result": cut(result.content) if content and result else None,
                "error.type": "tool_error" if failed else None,
                "unbraid.unfinished": True if result is None else None,
            }
        )
        return Span(
            name=f"execute_tool {tool}",
            span_id=span_id,
            parent_id=self.span_id,
            start=call.ts,
            end=max(end, call.ts),
            seq=seq,
            attributes=attributes,
            error="tool_error" if failed else None,
        )

    def _span(self, event: e.StreamEnd) -> Span:
        start, facts, chats = self._start, self._facts, self._chats
        attributes = self._attributes("invoke_agent") | facts.model(chats.model)
        attributes |= usage_attributes("unbraid.usage", chats.usage) | known(
            {
                "gen_ai.agent.id": self._agent_id,
                "unbraid.depth": start.depth,
                "unbraid.status": status_of_end(event.reason, ok=event.ok),
                "unbraid.background": start.background,
                "unbraid.resumes": start.resumes,
                "unbraid.tool_uses": sum(self._times_called.values()),
                "unbraid.failed_tools": self._failed_tools,
                "error.type": None if event.ok else event.reason,
            }
        )
        if facts.content:
            attributes |= self._words()
        resumed = start.resumes
        return Span(
            name=f"invoke_agent {short(start.agent)}",
            span_id=self.span_id,
            parent_id=self._parent_id,
            start=start.ts,
            end=max(event.ts, start.ts),
            seq=event.seq,
            attributes=attributes,
            events=tuple(self._events),
            links=() if resumed is None else (facts.ids.span_id("agent", resumed),),
            error=None if event.ok else event.reason,
        )

    def _words(self) -> Attributes:
        prompt = self._start.prompt
        if prompt is None and self._start.stream_id == 0:
            prompt = self._facts.prompt
        asked, answer = cut(prompt or ""), cut(self._answer or "")
        return known(
            {
                "gen_ai.agent.description": self._start.description,
                "gen_ai.input.messages": message("user", [text_part(asked)]) if asked else None,
                "gen_ai.output.messages": message(
                    "assistant", [text_part(answer)], finish_reason="stop"
                )
                if answer
                else None,
            }
        )

    def _fail(self, event: e.FleetError) -> None:
        code = event.code or "error"
        words = {"exception.message": cut(event.message)} if self._facts.content else {}
        if code.endswith("retry"):
            self._add_event("retry", event.ts, {"error.type": short(code), **words})
        elif code == "warning":
            self._add_event("warning", event.ts, {**words})
        else:
            self._add_event("exception", event.ts, {"exception.type": short(code), **words})

    def _add_event(self, name: str, ts: int, attributes: Attributes) -> None:
        if len(self._events) < MAX_SPAN_EVENTS:
            self._events.append(SpanEvent(name, ts, attributes))

    def _attributes(self, operation: str) -> Attributes:
        return self._facts.attributes(operation, self._start.agent, self._start.stream_id)


class _Message:
    """A message that may not be complete."""

    def __init__(self, message_id: str, start: int, inputs: str | None, *, content: bool) -> None:
        self.message_id, self.start, self.end, self.inputs = message_id, start, start, inputs
        self.usage: e.FleetTokenUsage | None = None
        self.parts: MessageParts | None = MessageParts() if content else None
        self.has_words = False
        self.retracted = False


class Chats:
    """The messages of one agent, in order."""

    def __init__(self, facts: TraceFacts, start: e.StreamStart, span_id: int) -> None:
        self._facts, self._stream_id, self._agent = facts, start.stream_id, start.agent
        self._span_id = span_id
        self.usage = Usage()
        self.model = start.model
        self._ready: int | None = start.ts
        self._inputs: list[str] = []
        self._open: dict[str, _Message] = {}
        # A message that was sent is not sent again, whatever still comes of it.
        self._sent: set[str] = set()

    def ask(self, ts: int, prompt: str) -> None:
        """Adds a prompt: the agent can ask its model."""
        self._ready = ts
        if self._facts.content:
            self._inputs.append(message("user", [text_part(cut(prompt))]))

    def give_result(self, event: e.FleetToolResult) -> None:
        """Adds the result of a tool: the agent can continue."""
        self._ready = max(self._ready or 0, event.ts)
        if self._facts.content:
            part = {
                "type": "tool_call_response",
                "id": event.tool_use_id,
                "response": cut(event.content),
            }
            self._inputs.append(message("tool", [part]))

    def say(self, event: e.Text | e.Thinking) -> list[Span]:
        """Adds words; returns the messages that are complete by them."""
        ended, current = self._current(event.message_id, event)
        if current is not None and current.parts is not None:
            kind = "text" if isinstance(event, e.Text) else "reasoning"
            current.parts.say(kind, event.block, event.delta)
        return ended

    def call(self, event: e.FleetToolUse) -> list[Span]:
        """Adds a tool call; returns the messages that are complete by it."""
        if event.message_id is None:
            return []
        ended, current = self._current(event.message_id, event)
        if current is not None and current.parts is not None:
            current.parts.call(event.tool_use_id, event.tool, bytes(event.input_json))
        return ended

    def use(self, event: e.FleetTokenUsage) -> list[Span]:
        """Adds what a message has used; returns it if its agent has gone on already."""
        self.usage.add(event)
        self.model = self.model or event.model
        if event.message_id in self._sent:
            return []
        current = self._open.get(event.message_id) or self._begin(event.message_id, event.ts)
        current.usage = event
        if not current.has_words:
            current.end = event.ts
        if current is not next(reversed(self._open.values())):
            return [self._span(current, event.seq)]
        return []

    def retract(self, message_ids: list[str]) -> None:
        """Marks messages that the agent's CLI has withdrawn."""
        for each in message_ids:
            if each in self._open:
                self._open[each].retracted = True

    def end_turn(self, seq: int) -> list[Span]:
        """Ends a turn: the agent has answered and waits. Returns the messages that are complete."""
        self._ready = None
        return self._complete(seq)

    def end(self, seq: int) -> list[Span]:
        """Returns the spans of all messages that are left: nothing more comes."""
        return [self._span(each, seq) for each in list(self._open.values())]

    def _current(
        self, message_id: str, event: e.Text | e.Thinking | e.FleetToolUse
    ) -> tuple[list[Span], _Message | None]:
        if message_id in self._sent:
            return [], None
        current, ended = self._open.get(message_id), list[Span]()
        if current is None:
            ended = self._complete(event.seq)
            current = self._begin(message_id, event.ts)
        current.end, current.has_words = max(current.end, event.ts), True
        self._ready = max(self._ready or 0, event.ts)
        return ended, current

    def _begin(self, message_id: str, ts: int) -> _Message:
        start = ts if self._ready is None else min(self._ready, ts)
        inputs = "[" + ",".join(each[1:-1] for each in self._inputs) + "]"
        begun = self._open[message_id] = _Message(
            message_id, start, inputs if self._inputs else None, content=self._facts.content
        )
        self._inputs.clear()
        return begun

    def _complete(self, seq: int) -> list[Span]:
        return [self._span(each, seq) for each in list(self._open.values()) if each.usage]

    def _span(self, ended: _Message, seq: int) -> Span:
        del self._open[ended.message_id]
        self._sent.add(ended.message_id)
        facts, usage = self._facts, ended.usage
        model = (usage.model if usage else None) or self.model
        attributes = facts.attributes("chat", self._agent, self._stream_id) | facts.model(model)
        attributes |= known(
            {
                "gen_ai.response.id": ended.message_id,
                "gen_ai.response.model": model,
                "gen_ai.input.messages": ended.inputs,
                "gen_ai.output.messages": ended.parts.encoded() if ended.parts else None,
                "unbraid.retracted": ended.retracted or None,
            }
        )
        return Span(
            name=f"chat {attributes.get('gen_ai.request.model', '')}".strip(),
            span_id=facts.ids.span_id("chat", self._stream_id, ended.message_id),
            parent_id=self._span_id,
            start=ended.start,
            end=max(ended.end, ended.start),
            seq=seq,
            attributes=attributes | (_used(usage) if usage else {}),
            remote=True,
        )


def _used(usage: e.FleetTokenUsage) -> Attributes:
    """Returns the usage as attributes. The conventions count what was read from a cache or written
    to it as input, too.
    """
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    cost = usage.estimated_usd if usage.cost_usd is None else usage.cost_usd
    return known(
        {
            "gen_ai.usage.input_tokens": usage.input_tokens + cached,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_creation_tokens,
            # No convention has dollars; this is the name that most tools read.
            "gen_ai.usage.cost": cost,
            "unbraid.usage.cost_usd": usage.cost_usd,
            "unbraid.usage.estimated_usd": usage.estimated_usd,
            "unbraid.usage.estimated_tokens": usage.estimated or None,
        }
    )
