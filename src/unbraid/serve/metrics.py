"""Numbers for Prometheus, in a registry of this server's own."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from unbraid.events import FleetTokenUsage
from unbraid.fold.status import LIVE, PERMISSION, PROMPT, WAITING, WORKING
from unbraid.fold.usage import Usage
from unbraid.log.entry import Entry
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.record.ingest import Ingest
from unbraid.screen import short
from unbraid.send.delivery import DeliveryStatus
from unbraid.serve.hub.fanout import Hub
from unbraid.system.clock import now_ms

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


_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """What a server counts and measures."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        seconds = partial(Histogram, buckets=_SECONDS, registry=registry)
        self.events = Counter("unbraid_events", "Events shown to the hub.", registry=registry)
        self.lag = seconds(
            "unbraid_event_lag_seconds", "From an event's own time to its being shown."
        )
        self.ingest = seconds("unbraid_ingest_seconds", "From bytes received to bytes durable.")
        self.requests = seconds(
            "unbraid_request_seconds",
            "Time to the head of the answer.",
            ("method", "route", "status"),
        )
        self.runs = Gauge(
            "unbraid_runs", "Runs that have not ended, by status.", ("status",), registry=registry
        )
        self.spending = SpendingMetrics(registry)
        self.agents = AgentMetrics(registry)
        self._gauges: dict[str, Gauge] = {}

    def observe_batch(self, batch: list[Entry]) -> None:
        """Counts and times a batch of events."""
        self.events.inc(len(batch))
        self.spending.observe(batch)
        self.lag.observe(max(0.0, time.time() - batch[-1].ts / 1000))

    def watch(
        self, hub: Hub, ingest: Ingest, delivery: Callable[[], DeliveryStatus] | None = None
    ) -> None:
        """Adds metrics that are read whenever they are asked for: of the hub, of ingest, and of how
        far the log has arrived at another server.
        """
        gauges: list[tuple[str, str, Callable[[], float]]] = [
            ("viewers", "Connected viewers.", lambda: hub.viewers),
            ("runs_ingesting", "Runs being taken in now.", lambda: ingest.runs),
            ("deliveries", "Events sent to viewers that left.", lambda: hub.stats.delivered),
            ("viewers_cut", "Viewers cut off as too slow.", lambda: hub.stats.cut),
        ]
        if (status := delivery) is not None:

            def behind_seconds() -> float:
                since = status().since
                return 0.0 if since is None else max(0.0, time.time() - since)

            gauges += [
                ("sent_runs", "Runs that are sent to another server.", lambda: status().runs),
                ("sent_behind", "Runs that have not arrived there.", lambda: status().behind),
                ("sent_refused", "Runs that it has rejected.", lambda: status().refused),
                ("sent_events", "Events that it has acknowledged.", lambda: status().events),
                ("sent_behind_seconds", "For how long something has waited.", behind_seconds),
            ]
        for name, help_text, read in gauges:
            self._gauge(name, help_text).set_function(read)

    async def watch_log(self, log: Log) -> None:
        """Sets the metrics of a shared log: how far this machine's copy is, and the results of its
        appends.
        """
        state = await log.replication()
        if state is None:
            return
        self._gauge("log_reachable", "Whether the shared log answers.").set(state.reachable)
        if state.behind is not None:
            text = "Records of the shared log that this machine's copy lacks."
            self._gauge("log_behind", text).set(state.behind)
        self._gauge("log_lost", "Whether it has lost records.").set(state.lost)
        for name, count in log.counters().items():
            text = f"{name.replace('_', ' ')} so far.".capitalize()
            self._gauge(f"log_{name}", text).set(count)

    def _gauge(self, name: str, help_text: str) -> Gauge:
        if name not in self._gauges:
            self._gauges[name] = Gauge(f"unbraid_{name}", help_text, registry=self.registry)
        return self._gauges[name]

    def text(self, live: Sequence[RunSummary]) -> bytes:
        """Returns all of it in Prometheus' format; `live` are the runs that are not over."""
        self._gauge("runs_live", "Runs that have not ended.").set(len(live))
        statuses = [run.status for run in live]
        for status in LIVE:
            self.runs.labels(status).set(statuses.count(status))
        self.agents.set(live, now_ms())
        return generate_latest(self.registry)
