"""A server that listens: the log, the hub and the application on uvicorn, from start to the last
frame.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from unbraid.errors import CallerError, LogError
from unbraid.events import Draft
from unbraid.log.port import Log, WholeLogReader
from unbraid.record.dead_runs import end_dead_runs
from unbraid.record.event_ingest import EventIngest
from unbraid.record.ingest import Ingest
from unbraid.record.recorder import RunPipeline, priced_pipeline
from unbraid.record.sessions.all_runs import AbandonedRuns, AllRuns
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.send.delivery import DeliveryStatus
from unbraid.send.senders import PageAlerts
from unbraid.serve.access.auth import OWNER_SCOPES, Keys, Scope
from unbraid.serve.access.throttle import Throttle
from unbraid.serve.access.tokens import SignInFile
from unbraid.serve.app import create_app
from unbraid.serve.body_budget import BodyBudget
from unbraid.serve.config import ServeConfig
from unbraid.serve.hub.fanout import Hub, ShownLog
from unbraid.serve.listener import listening, open_listener
from unbraid.serve.log_health import LogHealth
from unbraid.serve.metrics import Metrics
from unbraid.serve.services import Services
from unbraid.steer.controllers import Controllers, channels_of
from unbraid.steer.servers import SendingMachines
from unbraid.system.tasks import beside

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator

# Runs grow old slowly; and a log that is locked or full now may not be in an hour.
RETENTION_INTERVAL_SECONDS = 3600.0
# A token that was revoked stops working at once; streams that it opened before end within this.
TOKEN_SWEEP_SECONDS = 1.0

SIGN_INS = "sign-ins"

# What makes an orchestrator out of a log, the runs that can be steered, and a way to show drafts.
Orchestrating = Callable[[Log, Controllers, Callable[[str, Draft], None]], "Orchestrator"]


class Server:
    """A running server. Made by `serving`."""

    def __init__(self, services: Services, listener: socket.socket) -> None:
        self.services = services
        self.port: int = listener.getsockname()[1]
        config = services.config
        # The address that stands for all addresses cannot be opened in a browser.
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)
        host = f"[{host}]" if ":" in host else host
        self.url = f"{'http' if config.tls_cert is None else 'https'}://{host}:{self.port}"

    def link(self, scopes: Iterable[Scope] = OWNER_SCOPES) -> str:
        """Returns an address to open in a browser; it lets one in, once."""
        return f"{self.url}/login?code={self.services.keys.link(scopes)}"


@asynccontextmanager
async def serving(
    config: ServeConfig,
    log: Log,
    *,
    pipeline: Callable[[], RunPipeline] = priced_pipeline,
    controllers: Controllers | None = None,
    stored_sessions: StoredSessionList | None = None,
    abandoned_runs: AbandonedRuns | None = None,
    orchestrating: Orchestrating | None = None,
    delivery: Callable[[], DeliveryStatus] | None = None,
    alerts: PageAlerts | None = None,
) -> AsyncIterator[Server]:
    """Serves a log, and the `stored_sessions` that are not in it, while the block runs; then sends
    the viewers a last event, and stops in good order. `abandoned_runs` corrects the status of those
    whose writer is gone. With `orchestrating`, the server takes requests to orchestrate, too.
    `delivery` says how far the log has arrived at another server, and `alerts` are what open pages
    notify of.
    """
    listener = open_listener(config)
    keys = _keys(config, listener)
    if not config.loopback and not keys.any:
        listener.close()
        raise CallerError("to listen beyond this machine, a token is required")
    limits, metrics = config.limits, Metrics()
    shown, feed = _redacted(log) if config.redact else (log, None)
    hub = Hub(
        shown,
        shown=feed,
        backlog_bytes=limits.backlog_bytes,
        heartbeat_seconds=limits.heartbeat_seconds,
        stall_seconds=limits.stall_seconds,
        max_viewers=limits.viewers,
        on_dispatch=metrics.observe_batch,
        settle=log.settle,
    )
    ingest = Ingest(log, pipeline, redact=config.redact, max_runs=limits.runs)
    metrics.watch(hub, ingest)
    if delivery is not None:
        metrics.watch_delivery(delivery)
    held = controllers or Controllers()
    # Of a part of a draft it is not known yet whether it belongs to a secret.
    draft = hub.draft if feed is None else _no_draft
    orchestrator = None if orchestrating is None else orchestrating(log, held, draft)
    services = Services(
        log=shown,
        store=log,
        hub=hub,
        ingest=ingest,
        event_ingest=EventIngest(log, redact=config.redact),
        controllers=held,
        sending_machines=SendingMachines(held),
        keys=keys,
        config=config,
        metrics=metrics,
        throttle=Throttle(limits.sign_in_tries),
        bodies=BodyBudget(limits.bodies_bytes),
        health=LogHealth(log),
        all_runs=AllRuns(
            shown, stored=stored_sessions, abandoned=abandoned_runs, redact=config.redact
        ),
        stored_sessions=stored_sessions,
        alerts=alerts or PageAlerts(),
        orchestrator=orchestrator,
    )
    app = create_app(services)
    async with (
        hub,
        listening(config, listener, app),
        _swept(keys),
        held.answering(*channels_of(log)),
        beside(end_dead_runs(log)),
    ):
        try:
            if orchestrator is not None:
                await orchestrator.recover()
            yield Server(services, listener)
        finally:
            if orchestrator is not None:
                await orchestrator.close("interrupted")
            services.sending_machines.close()
            hub.dismiss("shutdown")
            with suppress(TimeoutError):
                async with asyncio.timeout(limits.shutdown_seconds):
                    await hub.emptied()


async def run_server(
    config: ServeConfig,
    log: Log,
    *,
    on_ready: Callable[[Server], None] | None = None,
    until: asyncio.Event | None = None,
    **parts: Any,
) -> None:
    """Serves a log, and keeps of it what the configuration says, until `until` is set (None: until
    SIGINT or SIGTERM).
    """
    stop = until or asyncio.Event()
    async with serving(config, log, **parts) as server, _retaining(config, log):
        with nullcontext() if until else stopped_by_signals(stop):
            if on_ready is not None:
                on_ready(server)
            await stop.wait()


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Sets an event when the process is asked to end; asked twice, the process ends at once."""
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)

    def ask(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    # Windows has no such handlers; there Ctrl-C ends the loop by an exception.
    with suppress(NotImplementedError):
        for number in signals:
            loop.add_signal_handler(number, ask, number)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in signals:
                loop.remove_signal_handler(number)


@asynccontextmanager
async def _retaining(config: ServeConfig, log: Log) -> AsyncIterator[None]:
    if config.keep_days is None and config.keep_bytes is None:
        yield
        return

    async def retain() -> None:
        while True:
            age = config.keep_days
            oldest = None if age is None else int((time.time() - age * 86400) * 1000)
            # A log that is locked or full now may not be in an hour.
            with suppress(LogError):
                await log.retain(newer_than_ms=oldest, max_bytes=config.keep_bytes)
            await asyncio.sleep(RETENTION_INTERVAL_SECONDS)

    async with beside(retain()):
        yield


def _no_draft(run: str, draft: Draft) -> None:
    """Shows nothing."""


def _redacted(log: Log) -> tuple[WholeLogReader, ShownLog | None]:
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedFeed, RedactedLog

    return RedactedLog(log), RedactedFeed(log)


def _keys(config: ServeConfig, listener: socket.socket) -> Keys:
    port: int = listener.getsockname()[1]
    kept = None if config.home is None else SignInFile(config.home / SIGN_INS / f"{port}.json")
    return Keys(config.tokens, source=config.token_file, store=kept)


@asynccontextmanager
async def _swept(keys: Keys) -> AsyncIterator[None]:
    async def sweep() -> None:
        while True:
            await asyncio.sleep(TOKEN_SWEEP_SECONDS)
            keys.sweep()

    async with beside(sweep()):
        yield
