"""A run's events in, the spans that have ended out: one trace a run.

An agent's span is below that of the call that started it, and so below the agent that made the
call. The main agent's span comes last, with the run's `done`: only then its totals are known.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from unbraid import events as e
from unbraid.fleet.usage import Totals
from unbraid.traces.agent_trace import AgentTrace
from unbraid.traces.facts import TraceFacts, usage_attributes
from unbraid.traces.identity import TraceIdentity
from unbraid.traces.span import Span, known, short


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
        """Takes the next event of the run; returns the spans that have ended by it."""
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
