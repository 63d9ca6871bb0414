"""What agents spend and how many wait, as numbers for Prometheus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge

from unbraid.events import FleetTokenUsage
from unbraid.fold.status import PERMISSION, PROMPT, WAITING, WORKING
from unbraid.fold.usage import Usage
from unbraid.log.entry import Entry
from unbraid.log.summary import RunSummary
from unbraid.screen import short

# A sender of runs chooses the names of models and kinds, and each is a line of every answer.
MAX_MODELS = 200
MAX_KINDS = 20
MAX_UNSETTLED = 10_000
OTHER = "other"
_TOKENS = ("input", "output", "cache_read", "cache_creation")


class _Names:
    """The names that are told apart: the first so many, and `other` for the rest."""

    def __init__(self, most: int) -> None:
        self._most, self._known = most, set[str]()

    def of(self, name: str | None) -> str:
        """Returns what to call something of that name."""
        found = short(name or "", 80)
        if len(self._known) < self._most:
            self._known.add(found)
        return found if found in self._known else OTHER


class SpendingMetrics:
    """Counts what the events of all runs say was spent, by model and kind of agents."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._tokens = Counter(
            "unbraid_tokens",
            "Tokens of model messages since the server was started.",
            ("model", "kind", "type"),
            registry=registry,
        )
        self._cost = Counter(
            "unbraid_cost_dollars",
            "Cost of model messages since the server was started: as their CLIs have reported it "
            "with the message, or computed from prices.",
            ("model", "kind", "source"),
            registry=registry,
        )
        self._unsettled: dict[tuple[str, str], Usage] = {}
        self._models, self._kinds = _Names(MAX_MODELS), _Names(MAX_KINDS)

    def observe(self, entries: Iterable[Entry]) -> None:
        """Takes new events of the log. Which kind a run is of is asked later, and not here, where
        every viewer waits.
        """
        for entry in entries:
            if entry.type != "token_usage":
                continue
            event = entry.event
            if not isinstance(event, FleetTokenUsage) or len(self._unsettled) >= MAX_UNSETTLED:
                continue
            key = (entry.run, self._models.of(event.model))
            self._unsettled.setdefault(key, Usage()).add(event)

    async def settle(self, kind_of: Callable[[str], Awaitable[str]]) -> None:
        """Counts what was observed, by the kinds of its runs."""
        taken, self._unsettled = self._unsettled, {}
        kinds: dict[str, str] = {}
        for (run, model), usage in taken.items():
            if run not in kinds:
                kinds[run] = self._kinds.of(await kind_of(run))
            for name in _TOKENS:
                count = getattr(usage, f"{name}_tokens")
                self._tokens.labels(model, kinds[run], name).inc(count)
            if usage.cost_usd is not None:
                self._cost.labels(model, kinds[run], "reported").inc(usage.cost_usd)
            if usage.estimated_usd is not None:
                self._cost.labels(model, kinds[run], "computed").inc(usage.estimated_usd)


class AgentMetrics:
    """How many agents of the runs that are not over work and wait, and how long at most."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._agents = Gauge(
            "unbraid_agents",
            "Agents of runs that are not over, by status and kind.",
            ("status", "kind"),
            registry=registry,
        )
        self._waiting = Gauge(
            "unbraid_waiting_seconds",
            "How long the run that waits longest has waited.",
            ("for",),
            registry=registry,
        )

    def set(self, live: Iterable[RunSummary], now_ms: int) -> None:
        """Takes the runs that are not over."""
        counts: dict[tuple[str, str], int] = {}
        kinds = _Names(MAX_KINDS)
        longest = {PERMISSION: 0, PROMPT: 0}
        for run in live:
            waiting = {request.stream_id for request in run.state.requests.values()}
            waiting |= {0} if run.state.idle_since else set()
            kind = kinds.of(run.source)
            for status, number in (
                (WAITING, len(waiting)),
                (WORKING, max(0, run.state.at_work + 1 - len(waiting))),
            ):
                counts[status, kind] = counts.get((status, kind), 0) + number
            if run.waiting is not None:
                waited = max(0, now_ms - run.waiting.since)
                longest[run.waiting.what] = max(longest.get(run.waiting.what, 0), waited)
        self._agents.clear()
        for labels, number in counts.items():
            self._agents.labels(*labels).set(number)
        for what, waited in longest.items():
            self._waiting.labels(what).set(waited / 1000)
