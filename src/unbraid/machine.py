"""This machine put together: its log, the leases on the log's runs, the sessions that agents have
stored here, what watches them, and what steers those that live.

Every face that works on this machine is built on a `Machine`, and takes the parts that it needs.
Entering a machine opens its log, and nothing more: reading stored sessions and watching them cost
time and threads, and begin when they are asked for. What they need is imported then, too: a command
that only lists sessions does not wait for the watcher's imports.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.engines import log_name, open_log
from unbraid.log.port import Log, LogUnusable, every_run, staleness
from unbraid.system.home import data_folder
from unbraid.system.tasks import beside

if TYPE_CHECKING:
    from unbraid.fold.prices import Prices
    from unbraid.log.leases import Leases
    from unbraid.log.summary import RunSummary
    from unbraid.orchestrate.orchestrator import Orchestrator
    from unbraid.record.sessions.all_runs import AbandonedRuns
    from unbraid.record.sessions.costs import SpentRun
    from unbraid.record.sessions.importer import ImportedSession
    from unbraid.record.sessions.stored_sessions import StoredSessionList
    from unbraid.send.alert_service import Show
    from unbraid.send.delivery import DeliveryStatus, Destination, LogDelivery
    from unbraid.send.senders import PageAlerts
    from unbraid.serve import ServeConfig, Server
    from unbraid.steer.controllers import Controllers


async def session_events(
    session: str, *, env: Mapping[str, str] = os.environ, redact: bool = False
) -> AsyncIterator[FleetEvent]:
    """Yields every event of a stored session: what its files have, then what they get, until the
    session is over; the last is `done`.

    An unambiguous prefix of its id is enough. `env` says where agents keep their
    sessions. Nothing is stored. Raises CallerError if there is no such session.
    """
    async with Machine("memory:", env=env, redact=redact) as machine:
        run = await machine.open(session)
        async with machine.following(run):
            async for batch in machine.log.follow(run.run):
                for entry in batch:
                    yield entry.event


async def listed_runs(
    *,
    env: Mapping[str, str] = os.environ,
    everything: bool = False,
    redact: bool = False,
    warn: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[RunSummary]:
    """Returns the runs of the log and the stored sessions that are not in it, last changed first;
    without `everything`, those that are live or of the last day. If the log cannot be used, only
    the sessions.
    """
    from unbraid.record.sessions.all_runs import list_runs

    lists = partial(list_runs, everything=everything, warn=warn, progress=progress, redact=redact)
    home = data_folder(env)
    try:
        async with Machine(env=env, warn=warn) as machine:
            return await lists(machine.log, env, home)
    except LogUnusable as error:
        warn(f"the log cannot be read; listing only sessions outside of it: {error}")
    return await lists(None, env, home)


async def with_logged_costs(
    stored: list[SpentRun], prices: Prices, warn: Callable[[str], None]
) -> list[SpentRun]:
    """Returns what the runs of the log and the `stored` sessions that are not in it have spent. If
    the log cannot be used, only the sessions.
    """
    from unbraid.record.sessions.costs import with_logged

    try:
        async with Machine(warn=warn) as machine:
            runs = [run async for run in every_run(machine.log)]
            return await with_logged(stored, machine.log, runs, prices=prices)
    except LogUnusable as error:
        warn(f"the log cannot be read; counting only sessions outside of it: {error}")
        return stored


class Machine:
    """The agents of one machine. Use it as an async context manager.

    `log` is what `open_log` takes, or an open log, which stays open. `env` says where agents keep
    their sessions, and where we keep our files. `controllers` are the runs that can be steered, if
    not all that can be found. With `redact`, secrets are replaced before anything is stored.
    `servers` are addresses of agents' own servers. With `even_away`, a shared log that cannot be
    reached yet is waited for meanwhile. `warn` is called, in the event loop, with what goes wrong
    beside the work; it may be set later, before that work is begun.
    """

    def __init__(
        self,
        log: str | Path | Log | None = None,
        *,
        env: Mapping[str, str] = os.environ,
        controllers: Controllers | None = None,
        redact: bool = False,
        servers: Sequence[str] = (),
        even_away: bool = False,
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.env, self.home, self.warn = env, data_folder(env), warn
        self.redact, self._servers = redact, servers
        self._even_away, self._given_controllers = even_away, controllers
        self._address = None if isinstance(log, Log) else log
        self._log = log if isinstance(log, Log) else None
        self._owns_log = self._log is None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Machine:
        if self._log is None:
            self._log = await open_log(self._address, self.env, even_away=self._even_away)
            self._stack.push_async_callback(self._log.close)
            if (stale := await staleness(self._log)) is not None:
                self.warn(stale)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    @property
    def log(self) -> Log:
        """The log that agents are recorded in."""
        if self._log is None:
            raise CallerError("this machine is not open: enter it with `async with`")
        return self._log

    @cached_property
    def leases(self) -> Leases:
        """What this process holds of the log's runs."""
        leases = self.log.leases()
        # Stopping to watch ends no run: the next process that watches continues them.
        self._stack.push_async_callback(leases.close, ended=False)
        return leases

    @cached_property
    def sessions(self) -> StoredSessionList:
        """The stored sessions that are not in the log; `listing` finds them."""
        from unbraid.record.sessions.stored_sessions import StoredSessionList

        sessions = StoredSessionList(self.log, self.env, self.home, redact=self.redact)
        self._stack.push_async_callback(sessions.close)
        return sessions

    @cached_property
    def abandoned_runs(self) -> AbandonedRuns:
        """The runs of the log that no process of this machine writes any more."""
        from unbraid.record.sessions.all_runs import AbandonedRuns

        return AbandonedRuns(self.log, self.env, self.home, redact=self.redact)

    @cached_property
    def controllers(self) -> Controllers:
        """The runs that can be steered: those that were given, or all in this process, in others of
        this machine, and on other machines that share the log.
        """
        if self._given_controllers is not None:
            return self._given_controllers
        from unbraid.steer.controllers import Controllers, OtherProcesses, channels_of

        return Controllers(OtherProcesses(*channels_of(self.log, self.home)))

    @cached_property
    def page_alerts(self) -> PageAlerts:
        """What open pages notify of."""
        from unbraid.send.senders import PageAlerts

        return PageAlerts()

    async def open(self, name: str) -> RunSummary:
        """Returns the run of that name; a session that is not in the log yet is imported. An
        unambiguous prefix of the name is enough. Raises CallerError if there is none.
        """
        from unbraid.record.sessions.importer import open_or_import

        return await open_or_import(self.log, name, self.env, redact=self.redact)

    async def import_sessions(
        self, sessions: Iterable[str] | None = None
    ) -> AsyncIterator[ImportedSession]:
        """Brings stored sessions into the log, each once; without names all of them, oldest first.
        Yields the result for each.
        """
        from unbraid.record.sessions.importer import all_sessions, import_sessions

        if sessions is None:
            warn = self._warn_later()
            sessions = await asyncio.to_thread(all_sessions, self.env, self.home, warn)
        async for done in import_sessions(self.log, sessions, self.env, redact=self.redact):
            yield done

    @asynccontextmanager
    async def listing(
        self,
        on_run: Callable[[RunSummary], None] = lambda run: None,
        *,
        while_reading: AbstractContextManager[object] | None = None,
    ) -> AsyncIterator[None]:
        """Finds the stored sessions while the block runs. `on_run` is called from another thread,
        for each, newest first; `while_reading` is left when all are found.
        """
        warn = self._warn_later()

        async def read() -> None:
            with while_reading or nullcontext():
                await self.sessions.read(warn, on_run)
            try:
                await self.sessions.catch_up()
            except LogError as error:
                self.warn(str(error))

        task = asyncio.create_task(read())
        try:
            yield
        finally:
            await self.sessions.close()
            await task

    def _warn_later(self) -> Callable[[str], None]:
        """Returns a `warn` for other threads."""
        loop = asyncio.get_running_loop()

        def warn(text: str) -> None:
            loop.call_soon_threadsafe(self.warn, text)

        return warn

    async def watch(self, until: asyncio.Event) -> None:
        """Follows every session into the log until `until` is set, then up to that moment."""
        from unbraid.record.watcher import Watcher, watch_until
        from unbraid.steer.controllers import channels_of

        watcher = Watcher(
            self.log,
            self.leases,
            self.env,
            warn=self.warn,
            servers=self._servers,
            controllers=self.controllers,
            redact=self.redact,
        )
        async with self.controllers.answering(*channels_of(self.log, self.home)):
            await watch_until(watcher, until)

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Follows every session into the log while the block runs."""
        until = asyncio.Event()
        task = asyncio.create_task(self.watch(until))
        try:
            yield
        finally:
            until.set()
            await task

    @asynccontextmanager
    async def serving(
        self,
        config: ServeConfig,
        *,
        history: bool = False,
        orchestrates: bool = False,
        delivery: Callable[[], DeliveryStatus] | None = None,
    ) -> AsyncIterator[Server]:
        """Serves the log while the block runs; with `history`, also the stored sessions that are
        not in it. With `orchestrates`, the server takes requests to orchestrate, too. `delivery`
        says how far the log has arrived at another server.
        """
        from unbraid.orchestrate.orchestrator import orchestrator_factory
        from unbraid.serve import serving

        async with serving(
            config,
            self.log,
            controllers=self.controllers,
            stored_sessions=self.sessions if history else None,
            # A log that is in no folder of ours has no runs of other processes.
            abandoned_runs=None if config.home is None else self.abandoned_runs,
            orchestrating=orchestrator_factory(self.env) if orchestrates else None,
            delivery=delivery,
            alerts=self.page_alerts,
        ) as server:
            yield server

    @asynccontextmanager
    async def orchestrating(self, **options: Any) -> AsyncIterator[Orchestrator]:
        """Runs a fleet of our own while the block runs, which others can steer meanwhile; `options`
        are those of `Orchestrator`.
        """
        from unbraid.orchestrate.orchestrator import Orchestrator
        from unbraid.steer.controllers import channels_of

        orchestrator = Orchestrator(
            log=self.log, controllers=self.controllers, leases=self.log.leases(), **options
        )
        channels = channels_of(self.log, self.home)
        async with orchestrator, self.controllers.answering(*channels):
            yield orchestrator

    @asynccontextmanager
    async def sending(
        self, to: Destination, *, since_ms: int | None = None
    ) -> AsyncIterator[LogDelivery]:
        """Sends the runs of the log to a server while the block runs: those that are live, and
        those to come; with `since_ms`, older ones, too.
        """
        from unbraid.send.delivery import LogDelivery

        if not self._owns_log:
            raise CallerError("to send a log, open its machine by the address of the log")
        name = log_name(self._address, self.env)
        delivery = LogDelivery(to, self.log, name, warn=self.warn, since_ms=since_ms)
        async with delivery.sending():
            yield delivery

    @asynccontextmanager
    async def alerting(self, show: Show | None = None) -> AsyncIterator[None]:
        """Alerts people about the runs of the log while the block runs, by their rules. `show`
        shows a message on the screen of this process; pages find them in `page_alerts`.
        """
        from unbraid.send.alert_service import AlertService

        service = AlertService(
            self.log,
            self.controllers,
            self.env,
            home=self.home,
            warn=self.warn,
            show=show,
            pages=self.page_alerts,
        )
        async with service.running():
            yield

    @asynccontextmanager
    async def session_import(self) -> AsyncIterator[None]:
        """Imports all stored sessions into the log while the block runs; what is left at its end is
        imported the next time.
        """

        async def import_all() -> None:
            async for done in self.import_sessions():
                if done.problem is not None:
                    self.warn(f"{done.session} is not imported: {done.problem}")

        async with beside(import_all()):
            yield

    @asynccontextmanager
    async def following(self, run: RunSummary) -> AsyncIterator[None]:
        """Keeps one run's log up to date while the block runs. The process that holds its lease
        does that already; when it is gone, its lease is taken over.
        """
        from unbraid.agents.registry import is_kind
        from unbraid.record.watcher import Watcher, watch_until

        if run.over or not is_kind(run.source):
            yield
            return
        leases, until = self.log.leases(), asyncio.Event()
        session = run.session_id or run.run.partition(".")[0]
        watcher = Watcher(
            self.log, leases, self.env, warn=self.warn, only=session, redact=self.redact
        )
        watched = asyncio.create_task(watch_until(watcher, until))
        try:
            yield
        finally:
            until.set()
            try:
                await watched
            finally:
                await leases.close(ended=False)
