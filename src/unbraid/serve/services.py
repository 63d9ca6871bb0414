"""What the routes work with: made once for a server, found through the request."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from starlette.requests import Request
from starlette.types import Scope

from unbraid.errors import CallerError, LogError
from unbraid.events import Draft
from unbraid.log.port import Log, LogUnusable, WholeLogReader
from unbraid.record.ingest import EventIngest, Ingest
from unbraid.record.recorder import priced_pipeline
from unbraid.record.sessions.all_runs import AbandonedRuns, AllRuns
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.send.delivery import DeliveryStatus
from unbraid.send.senders import PageAlerts
from unbraid.serve.access import Keys, Throttle, Token, TokenFile
from unbraid.serve.hub.fanout import Hub
from unbraid.serve.metrics import Metrics
from unbraid.steer.controllers import Controllers
from unbraid.steer.servers import SendingMachines

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator

# So often a server looks how complete its copy of a shared log is; a list waits no longer for it.
COPY_STATE_SECONDS = 1.0
COPY_STATE_WAIT_SECONDS = 0.1


@dataclass(frozen=True)
class ServeLimits:
    """Bounds on what anyone can make the server hold."""

    body_bytes: int = 16 * 1024 * 1024
    # One event holds what an agent printed in one line, of at most 32 MiB, perhaps escaped.
    events_bytes: int = 80 * 1024 * 1024
    bodies_bytes: int = 256 * 1024 * 1024
    json_bytes: int = 1024 * 1024
    header_bytes: int = 32 * 1024
    pipelined: int = 16
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    body_bytes_per_second: int = 8 * 1024
    connections: int = 12_000
    viewers: int = 10_000
    sign_in_tries: int = 10
    runs: int = 1000
    backlog_bytes: int = 8 * 1024 * 1024
    heartbeat_seconds: float = 15.0
    stall_seconds: float = 30.0
    shutdown_seconds: float = 5.0


@dataclass(frozen=True)
class ServeConfig:
    """Where to listen, which callers are accepted, and the limits.

    Everyone needs a token or a one-time link, on loopback, too: other users of a machine can reach
    that. `token_file` is read anew whenever it changes. Only a user who may enter the folder `home`
    needs neither: there is a socket in it. There the server also stores which browsers have signed
    in. `hosts` are further names that this server answers to; addresses and, on loopback,
    `localhost` always work. `proxies` are addresses or networks of proxies whose word about callers
    is taken. Runs that are over go after `keep_days`, and the oldest of them beyond `keep_bytes`.
    """

    host: str = "127.0.0.1"
    port: int = 8420
    tokens: tuple[Token, ...] = ()
    token_file: TokenFile | None = None
    home: Path | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    redact: bool = False
    keep_days: float | None = None
    keep_bytes: int | None = None
    limits: ServeLimits = field(default_factory=ServeLimits)

    def __post_init__(self) -> None:
        if self.keep_days is not None and not 0 <= self.keep_days <= 1e6:
            raise CallerError(f"keep_days: from 0 to 1000000, not {self.keep_days}")
        if self.keep_bytes is not None and not 0 <= self.keep_bytes < 2**63:
            raise CallerError(f"keep_bytes: from 0 to {2**63 - 1}, not {self.keep_bytes}")
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                raise CallerError(f"not an address or a network: {proxy}") from None
        if self.tls_key is not None and self.tls_cert is None:
            raise CallerError("a TLS key also needs its certificate")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Returns whether a name or address means this machine and no other."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


_HELD = "unbraid.body_bytes"


class BodyBudget:
    """Counts bytes of bodies, from their arrival to the end of their request."""

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0

    def take(self, scope: Scope, size: int) -> bool:
        """Adds some bytes of a request; returns whether there is room for them."""
        if self._held + size > self._most:
            return False
        self._held += size
        scope[_HELD] = scope.get(_HELD, 0) + size
        return True

    def release(self, scope: Scope) -> None:
        """Ends a request."""
        self._held -= scope.pop(_HELD, 0)


class CopyState(Struct):
    """How complete a server's copy of a shared log is: how many records it `lacks`, if that is
    known, and why no more come: the log is `away`, has `lost` records, or the copy is `stuck`.
    """

    lacks: int | None = None
    problem: str | None = None


class LogHealth:
    """Checks a log, once for all requests at the same time: these need no token, and every check
    writes to the disk.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._checking: asyncio.Task[None] | None = None
        self._looking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._looking.set_result(None)
        self._looked_at, self._state = -math.inf, CopyState()

    async def check(self) -> None:
        """Raises LogError unless the log can append now."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._log.check())
        await asyncio.shield(self._checking)

    async def behind(self) -> int:
        """Returns how many records of a shared log this machine's copy lacks. Raises LogError
        unless the log can append now.
        """
        await self.check()
        state = await self._log.replication()
        if state is None:
            return 0
        if state.behind is None:
            raise LogUnusable("the log", "away", "its progress is unknown")
        return state.behind

    async def copy(self) -> CopyState | None:
        """Returns how complete this machine's copy of a shared log is, as it was a moment ago: a
        log that cannot be reached answers late, and no request should wait for that. None if the
        log is not a shared one.
        """
        if not self._log.shared:
            return None
        now = time.monotonic()
        if self._looking.done() and now - self._looked_at > COPY_STATE_SECONDS:
            self._looked_at = now
            self._looking = asyncio.ensure_future(self._look())
            await asyncio.wait([self._looking], timeout=COPY_STATE_WAIT_SECONDS)
        return self._state

    async def _look(self) -> None:
        try:
            found = await self._log.replication()
        except LogError:
            self._state = CopyState(None, "stuck")
            return
        if found is None:
            return
        problem = None if found.problem is None else "stuck"
        if found.lost:
            problem = "lost"
        elif not found.reachable:
            problem = "away"
        self._state = CopyState(found.behind, problem)


MAX_THREADS = 1000


class AgUiThreads:
    """Which run of ours an AG-UI thread is in, of the threads that were used last: the next request
    of a thread goes to the same master.
    """

    def __init__(self) -> None:
        self._runs: dict[str, str] = {}

    def get(self, thread_id: str) -> str | None:
        """Returns the latest run of a thread."""
        return self._runs.get(thread_id)

    def put(self, thread_id: str, run: str) -> None:
        """Notes the latest run of a thread."""
        self._runs.pop(thread_id, None)
        self._runs[thread_id] = run
        while len(self._runs) > MAX_THREADS:
            del self._runs[next(iter(self._runs))]


# What makes an orchestrator out of a log, the runs that can be steered, and a way to show drafts.
Orchestrating = Callable[[Log, Controllers, Callable[[str, Draft], None]], "Orchestrator"]


class Services:
    """The parts of a running server. `log` is what may be shown, `store` what it is read from, and
    `all_runs` are those that are listed: of the log, and of the `stored_sessions` that are not in
    it; `abandoned_runs` corrects the status of those whose writer is gone. With `orchestrating`,
    the server takes requests to orchestrate, too. `delivery` says how far the log has arrived at
    another server, and `alerts` are what open pages notify of.
    """

    def __init__(
        self,
        config: ServeConfig,
        log: Log,
        keys: Keys,
        *,
        controllers: Controllers | None = None,
        stored_sessions: StoredSessionList | None = None,
        abandoned_runs: AbandonedRuns | None = None,
        orchestrating: Orchestrating | None = None,
        delivery: Callable[[], DeliveryStatus] | None = None,
        alerts: PageAlerts | None = None,
    ) -> None:
        limits, redact = config.limits, config.redact
        self.config, self.store, self.keys = config, log, keys
        self.log: WholeLogReader = log
        if redact:
            # Imported here, because compiling the patterns takes time that only redaction needs.
            from unbraid.redact.reader import RedactedLog

            self.log = RedactedLog(log)
        self.metrics, self.health = Metrics(), LogHealth(log)
        self.hub = Hub(
            self.log,
            backlog_bytes=limits.backlog_bytes,
            heartbeat_seconds=limits.heartbeat_seconds,
            stall_seconds=limits.stall_seconds,
            max_viewers=limits.viewers,
            on_dispatch=self.metrics.observe_batch,
            settle=log.settle,
        )
        self.ingest = Ingest(log, priced_pipeline, redact=redact, max_runs=limits.runs)
        self.event_ingest = EventIngest(log, redact=redact)
        self.metrics.watch(self.hub, self.ingest, delivery)
        self.controllers = controllers or Controllers()
        self.sending_machines = SendingMachines(self.controllers)
        self.throttle, self.bodies = Throttle(limits.sign_in_tries), BodyBudget(limits.bodies_bytes)
        self.all_runs = AllRuns(
            self.log, stored=stored_sessions, abandoned=abandoned_runs, redact=redact
        )
        self.stored_sessions = stored_sessions
        self.alerts = alerts or PageAlerts()
        self.threads = AgUiThreads()
        self.orchestrator: Orchestrator | None = None
        if orchestrating is not None:
            # Of a part of a draft it is not known yet whether it belongs to a secret.
            draft = _show_no_draft if redact else self.hub.draft
            self.orchestrator = orchestrating(log, self.controllers, draft)


def _show_no_draft(run: str, draft: Draft) -> None:
    """Shows nothing."""


def services_of(request: Request) -> Services:
    """Returns the server's parts."""
    services: Services = request.app.state.services
    return services
