"""One agent as an `invoke_agent` span, with its tool calls and messages below it."""

from __future__ import annotations

from unbraid import events as e
from unbraid.fleet.status import status_of_end
from unbraid.traces.chats import Chats
from unbraid.traces.content import cut, message, text_part
from unbraid.traces.facts import TraceFacts, usage_attributes
from unbraid.traces.span import Attributes, Span, SpanEvent, known, short

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
        """Takes one event of the agent's stream, but not its end. Returns the spans that have ended
        by it.
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
                    self._note(f"turn {event.reason}", event.ts, error_type)
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
                self._note("retracted", event.ts, {"unbraid.messages": len(event.message_ids)})
            case _:
                pass
        return []

    def call_span(self, tool_use_id: str | None) -> int | None:
        """Returns the span of a call that was seen."""
        if tool_use_id is None or tool_use_id not in self._times_called:
            return None
        return self._call_id(tool_use_id)

    def end(self, event: e.StreamEnd) -> list[Span]:
        """Takes the end of the agent. Returns what was open in it, and the agent itself last."""
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
        failed = result is not None and not result.ok
        attributes = self._attributes("execute_tool") | known(
            {
                "gen_ai.tool.name": tool,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": short(call.tool_use_id),
                "gen_ai.tool.call.arguments": _arguments(call) if content else None,
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
        said = {"exception.message": cut(event.message)} if self._facts.content else {}
        if code.endswith("retry"):
            self._note("retry", event.ts, {"error.type": short(code), **said})
        elif code == "warning":
            self._note("warning", event.ts, {**said})
        else:
            self._note("exception", event.ts, {"exception.type": short(code), **said})

    def _note(self, name: str, ts: int, attributes: Attributes) -> None:
        if len(self._events) < MAX_SPAN_EVENTS:
            self._events.append(SpanEvent(name, ts, attributes))

    def _attributes(self, operation: str) -> Attributes:
        return self._facts.attributes(operation, self._start.agent, self._start.stream_id)


def _arguments(call: e.FleetToolUse) -> str:
    return cut(bytes(call.input_json).decode("utf-8", "replace"))
