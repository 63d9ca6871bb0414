"""A server that listens: the log, the hub and the application on uvicorn, from start to the last
frame.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn

from unbraid.control.controllers import Controllers
from unbraid.errors import CallerError, LogError
from unbraid.events import Draft
from unbraid.hub.fanout import Hub
from unbraid.log.port import Log, PrunableLog, WholeLogReader
from unbraid.record.ingest import Ingest
from unbraid.record.recorder import RunPipeline, priced_pipeline
from unbraid.serve.app import create_app
from unbraid.serve.auth import Keys, Scope
from unbraid.serve.config import ServeConfig
from unbraid.serve.connection import Connection
from unbraid.serve.metrics import Metrics
from unbraid.serve.services import History, Services
from unbraid.timings import RETENTION_INTERVAL_SECONDS

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator

BACKLOG = 2048  # connections that wait to be accepted

# What makes an orchestrator out of a log, the runs that can be steered, and a way to show drafts.
Orchestrating = Callable[[Log, Controllers, Callable[[str, Draft], None]], "Orchestrator"]


class Server:
    """A running server. Made by `serving`."""

    def __init__(self, services: Services, listener: socket.socket) -> None:
        self.services = services
        self.port: int = listener.getsockname()[1]
        config = services.config
        # Nobody can open the address that stands for all addresses.
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)
        host = f"[{host}]" if ":" in host else host
        self.url = f"http://{host}:{self.port}"

    def link(self, scopes: tuple[Scope, ...] = ("read", "control")) -> str:
        """Returns an address to open in a browser; where a token is needed, one that works once."""
        if not self.services.config.guarded:
            return f"{self.url}/"
        return f"{self.url}/login?code={self.services.keys.link(scopes)}"


@asynccontextmanager
async def serving(
    config: ServeConfig,
    log: Log,
    *,
    pipeline: Callable[[], RunPipeline] = priced_pipeline,
    controllers: Controllers | None = None,
    history: History | None = None,
    orchestrating: Orchestrating | None = None,
) -> AsyncIterator[Server]:
    """Serve a log, and the `history` beside it, while the block runs; then send the
    viewers a last event, and stop in good order. With `orchestrating`, the server takes requests to
    orchestrate, too.
    """
    if config.guarded and not config.tokens and not config.loopback:
        raise CallerError("to listen beyond this machine, a token is required")
    limits, metrics = config.limits, Metrics()
    shown = _redacted(log) if config.redact else log
    hub = Hub(
        shown,
        backlog_bytes=limits.backlog_bytes,
        heartbeat_seconds=limits.heartbeat_seconds,
        stall_seconds=limits.stall_seconds,
        max_viewers=limits.viewers,
        on_dispatch=metrics.observe_batch,
    )
    ingest = Ingest(log, pipeline, redact=config.redact, max_runs=limits.runs)
    metrics.watch(hub, ingest)
    held = controllers or Controllers()
    keys = Keys(config.tokens)
    orchestrator = None if orchestrating is None else orchestrating(log, held, hub.draft)
    services = Services(
        log=shown,
        store=log,
        hub=hub,
        ingest=ingest,
        controllers=held,
        keys=keys,
        config=config,
        metrics=metrics,
        history=history,
        orchestrator=orchestrator,
    )
    listener = _listen(config)
    runner = uvicorn.Server(_uvicorn(config, create_app(services)))
    runner.config.load()
    runner.lifespan = runner.config.lifespan_class(runner.config)
    async with hub:
        # Not `serve`: that would take the signals, which are the caller's.
        await runner.startup([listener])
        try:
            if orchestrator is not None:
                await orchestrator.recover()
            yield Server(services, listener)
        finally:
            if orchestrator is not None:
                await orchestrator.close("interrupted")
            hub.dismiss("shutdown")
            with suppress(TimeoutError):
                async with asyncio.timeout(limits.shutdown_seconds):
                    await hub.emptied()
            await runner.shutdown([listener])


async def run_server(
    config: ServeConfig,
    log: Log,
    *,
    on_ready: Callable[[Server], None] | None = None,
    until: asyncio.Event | None = None,
    **parts: Any,
) -> None:
    """Serve a log, and keep of it what the configuration says, until `until` is set (None: until
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
    """Set an event when the process is asked to end; asked twice, it ends at once."""
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
    if not isinstance(log, PrunableLog):
        raise CallerError("this log cannot delete runs: do not limit how many to keep")

    async def retain(log: PrunableLog) -> None:
        while True:
            age = config.keep_days
            oldest = None if age is None else int((time.time() - age * 86400) * 1000)
            # A log that is locked or full now may not be in an hour.
            with suppress(LogError):
                await log.retain(newer_than_ms=oldest, max_bytes=config.keep_bytes)
            await asyncio.sleep(RETENTION_INTERVAL_SECONDS)

    task = asyncio.create_task(retain(log))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _redacted(log: Log) -> WholeLogReader:
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedLog

    return RedactedLog(log)


def _listen(config: ServeConfig) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio switches Nagle's delay off only for sockets whose protocol is named; without it every
    # answer waits 40 ms for the other side's acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((config.host, config.port))
        # Not later: until one listens, two who start at the same moment are given the same port.
        listener.listen(BACKLOG)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        raise CallerError(f"cannot listen on {config.host}:{config.port}: {error}") from error
    return listener


def _uvicorn(config: ServeConfig, app: Any) -> uvicorn.Config:
    http: Any = partial(Connection, config.limits)
    return uvicorn.Config(
        app,
        http=http,
        ws="none",
        lifespan="off",
        # Addresses may hold a link's code, and errors an agent's words: neither belongs in a log
        # file.
        access_log=False,
        log_config=None,
        backlog=BACKLOG,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(config.limits.shutdown_seconds) or 1,
    )
