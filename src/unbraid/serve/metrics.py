"""Numbers for Prometheus, in a registry of this server's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from unbraid.fold.status import LIVE
from unbraid.log.entry import Entry
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.record.ingest import Ingest
from unbraid.send.delivery import DeliveryStatus
from unbraid.serve.hub.fanout import Hub
from unbraid.serve.spending_metrics import AgentMetrics, SpendingMetrics
from unbraid.system.clock import now_ms

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """What a server counts and measures."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._gauges: dict[str, Gauge] = {}
        self.events = Counter("unbraid_events", "Events shown to the hub.", registry=self.registry)
        self.live_runs = Gauge(
            "unbraid_runs_live", "Runs that have not ended.", registry=self.registry
        )
        self.runs = Gauge(
            "unbraid_runs",
            "Runs that have not ended, by status.",
            ("status",),
            registry=self.registry,
        )
        self.lag = Histogram(
            "unbraid_event_lag_seconds",
            "From an event's own time to its being shown.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.ingest = Histogram(
            "unbraid_ingest_seconds",
            "From bytes received to bytes durable.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.requests = Histogram(
            "unbraid_request_seconds",
            "Time to the head of the answer.",
            ("method", "route", "status"),
            buckets=_SECONDS,
            registry=self.registry,
        )

        self.spending = SpendingMetrics(self.registry)
        self.agents = AgentMetrics(self.registry)

    def observe_batch(self, batch: list[Entry]) -> None:
        """Counts and times a batch of events."""
        self.events.inc(len(batch))
        self.spending.observe(batch)
        self.lag.observe(max(0.0, time.time() - batch[-1].ts / 1000))

    def watch(self, hub: Hub, ingest: Ingest) -> None:
        """Adds metrics of the hub and of ingest, which are read whenever metrics are asked for."""
        gauges = (
            ("unbraid_viewers", "Connected viewers.", lambda: hub.viewers),
            ("unbraid_runs_ingesting", "Runs being taken in now.", lambda: ingest.runs),
            (
                "unbraid_deliveries",
                "Events sent to viewers that left.",
                lambda: hub.stats.delivered,
            ),
            ("unbraid_viewers_cut", "Viewers cut off as too slow.", lambda: hub.stats.cut),
        )
        for name, help_text, read in gauges:
            Gauge(name, help_text, registry=self.registry).set_function(read)

    def watch_delivery(self, status: Callable[[], DeliveryStatus]) -> None:
        """Adds metrics of how far the log has arrived at another server, which are read whenever
        metrics are asked for.
        """

        def behind_seconds() -> float:
            since = status().since
            return 0.0 if since is None else max(0.0, time.time() - since)

        gauges: tuple[tuple[str, str, Callable[[], float]], ...] = (
            ("runs", "Runs that are sent to another server.", lambda: status().runs),
            ("behind", "Runs that have not arrived there.", lambda: status().behind),
            ("refused", "Runs that it has rejected.", lambda: status().refused),
            ("events", "Events that it has acknowledged.", lambda: status().events),
            ("behind_seconds", "For how long something has waited.", behind_seconds),
        )
        for name, help_text, read in gauges:
            gauge = Gauge(f"unbraid_sent_{name}", help_text, registry=self.registry)
            gauge.set_function(read)

    async def watch_log(self, log: Log) -> None:
        """Sets the metrics of a shared log: how far this machine's copy is, and the results of its
        appends.
        """
        state = await log.replication()
        if state is None:
            return
        self._set("unbraid_log_reachable", "Whether the shared log answers.", state.reachable)
        if state.behind is not None:
            text = "Records of the shared log that this machine's copy lacks."
            self._set("unbraid_log_behind", text, state.behind)
        self._set("unbraid_log_lost", "Whether it has lost records.", state.lost)
        for name, count in log.counters().items():
            self._set(
                f"unbraid_log_{name}", f"{name.replace('_', ' ')} so far.".capitalize(), count
            )

    def _set(self, name: str, help_text: str, value: float) -> None:
        if name not in self._gauges:
            self._gauges[name] = Gauge(name, help_text, registry=self.registry)
        self._gauges[name].set(value)

    def text(self, live: Sequence[RunSummary]) -> bytes:
        """Returns all of it in Prometheus' format; `live` are the runs that are not over."""
        self.live_runs.set(len(live))
        statuses = [run.status for run in live]
        for status in LIVE:
            self.runs.labels(status).set(statuses.count(status))
        self.agents.set(live, now_ms())
        return generate_latest(self.registry)
