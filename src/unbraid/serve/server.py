"""A server that listens: the log, the hub and the application on uvicorn, from start to the last
frame.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from unbraid.errors import CallerError, LogError
from unbraid.log.port import Log
from unbraid.record.runs import end_dead_runs
from unbraid.serve.access import OWNER_SCOPES, Keys, Scope, SignInFile
from unbraid.serve.app import create_app
from unbraid.serve.connection import listening, open_listener
from unbraid.serve.services import ServeConfig, Services
from unbraid.steer.controllers import channels_of
from unbraid.system.tasks import beside, stopped_by_signals

if TYPE_CHECKING:
    pass

# Runs grow old slowly; and a log that is locked or full now may not be in an hour.
RETENTION_INTERVAL_SECONDS = 3600.0
# A token that was revoked stops working at once; streams that it opened before end within this.
TOKEN_SWEEP_SECONDS = 1.0

SIGN_INS = "sign-ins"


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
async def serving(config: ServeConfig, log: Log, **parts: Any) -> AsyncIterator[Server]:
    """Serves a log while the block runs; then sends the viewers a last event, and stops in good
    order. `parts` are those of `Services`.
    """
    listener = open_listener(config)
    keys = _keys(config, listener)
    if not config.loopback and not keys.any:
        listener.close()
        raise CallerError("to listen beyond this machine, a token is required")
    services = Services(config, log, keys, **parts)
    hub, orchestrator = services.hub, services.orchestrator
    async with (
        hub,
        listening(config, listener, create_app(services)),
        beside(_sweep(keys)),
        services.controllers.answering(*channels_of(log)),
        beside(end_dead_runs(log)),
        beside(_retain(config, log)),
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
                async with asyncio.timeout(config.limits.shutdown_seconds):
                    await hub.emptied()


async def run_server(
    config: ServeConfig,
    log: Log,
    *,
    on_ready: Callable[[Server], None] | None = None,
    until: asyncio.Event | None = None,
    **parts: Any,
) -> None:
    """Serves a log until `until` is set (None: until SIGINT or SIGTERM)."""
    stop = until or asyncio.Event()
    async with serving(config, log, **parts) as server:
        with nullcontext() if until else stopped_by_signals(stop):
            if on_ready is not None:
                on_ready(server)
            await stop.wait()


async def _retain(config: ServeConfig, log: Log) -> None:
    """Keeps of a log what the configuration says, and no more."""
    while config.keep_days is not None or config.keep_bytes is not None:
        age = config.keep_days
        oldest = None if age is None else int((time.time() - age * 86400) * 1000)
        # A log that is locked or full now may not be in an hour.
        with suppress(LogError):
            await log.retain(newer_than_ms=oldest, max_bytes=config.keep_bytes)
        await asyncio.sleep(RETENTION_INTERVAL_SECONDS)


def _keys(config: ServeConfig, listener: socket.socket) -> Keys:
    port: int = listener.getsockname()[1]
    kept = None if config.home is None else SignInFile(config.home / SIGN_INS / f"{port}.json")
    return Keys(config.tokens, source=config.token_file, store=kept)


async def _sweep(keys: Keys) -> None:
    while True:
        await asyncio.sleep(TOKEN_SWEEP_SECONDS)
        keys.sweep()
