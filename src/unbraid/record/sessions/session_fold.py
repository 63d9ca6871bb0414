"""A stored session, folded from what its dialect says: the translator, the fleet and the summary
are those of the log. What agents say word by word is left out on the way, and what messages have
used is counted by agent, model and time, of which the total is the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unbraid.events import (
    FleetEvent,
    FleetSessionMeta,
    FleetTurnComplete,
    Progress,
    RelayEvent,
    SessionMeta,
    SubAgentSpawned,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolResult,
    ToolUse,
)
from unbraid.fold.prices import Prices
from unbraid.fold.shares import RunShares, UsageShare
from unbraid.fold.streams import Fleet
from unbraid.log.summary import RunSummary
from unbraid.read.translator import Translator

# What changes nothing in a run that is over, but the time of its end.
_WORDS = frozenset({TextDelta, ThinkingDelta, ToolUse, ToolResult, Progress, TokenUsage})
AGENT = "agent"  # a sub-agent whose name nothing says


class SessionFold:
    """One session, as its events come. The context of a `TokenUsage` may also be an agent's id."""

    def __init__(self, kind: str, prices: Prices | None) -> None:
        self.translator = Translator()
        self._kind = kind
        self._fleet: Fleet | None = None
        self._summary = RunSummary("")
        self._shares = RunShares(prices)
        self._agents: dict[str, str] = {}  # by their ids: their contexts
        self._early: list[RelayEvent] = []  # from before the first record that has a time
        self._latest: RelayEvent | None = None

    def apply(self, events: Sequence[RelayEvent]) -> None:
        """Takes more events of the session."""
        fleet = self._fleet
        if fleet is None:
            self._early += events
            if not self.translator.ts:
                return
            events, self._early = self._early, []
            fleet = self._begin()
        rest = []
        latest_ms = 0 if self._latest is None else self._latest.ts
        for event in events:
            if isinstance(event, TokenUsage):
                self._shares.count(event, ts=event.ts, agent=event.context)
            if type(event) in _WORDS:
                if event.ts >= latest_ms:
                    self._latest, latest_ms = event, event.ts
            else:
                rest.append(event)
                if isinstance(event, (SubAgentSpawned, SessionMeta)) and event.agent_id:
                    self._agents[event.agent_id] = event.context
        if rest:
            self._fold(fleet.apply(rest))

    def finish(self) -> tuple[RunSummary, list[UsageShare]]:
        """Ends the session. Returns its summary and its shares."""
        fleet = self._fleet or self._begin()
        early, self._early = self._early, []
        self.apply(early)
        self.apply(self.translator.finish())
        if self._latest is not None:
            # It is worth no event but by its time.
            self._fold(fleet.apply([self._latest]))
        summary = self._summary
        summary.totals.seen = self._shares.usage()
        usage = summary.totals.total()
        self._fold(fleet.finish(*self.translator.outcome))
        summary.usage = usage
        shares = self._shares.settled(usage, summary.updated)
        for share in shares:
            share.agent = self._name(share.agent, fleet)
        return summary, shares

    def _begin(self) -> Fleet:
        self._fleet = Fleet(self._kind, began_ms=self.translator.ts)
        return self._fleet

    def _fold(self, events: Iterable[FleetEvent]) -> None:
        for event in events:
            if isinstance(event, (FleetTurnComplete, FleetSessionMeta)):
                self._summary.totals.seen = self._shares.usage()
                self._shares.fold(event)
            self._summary.fold(event, 0)

    def _name(self, context: str, fleet: Fleet) -> str:
        """Returns the name of an agent by its context or its id."""
        context = self._agents.get(context, context)
        stream = fleet.streams.get(context)
        return AGENT if stream is None else stream.agent
