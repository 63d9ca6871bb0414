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
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log import Leases, Log, RunSummary, data_folder, open_log, staleness
from unbraid.log.engines import log_name
from unbraid.record.sessions.all_runs import AbandonedRuns
from unbraid.record.sessions.importer import (
    ImportedSession,
    all_sessions,
    import_sessions,
    open_or_import,
)
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.send.senders import PageAlerts
from unbraid.system.tasks import beside

if TYPE_CHECKING:
    from unbraid.send.alert_service import Show
    from unbraid.send.delivery import Destination, LogDelivery
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


class Machine:
    """The agents of one machine. Use it as an async context manager.

    `log` is what `open_log` takes, or an open log, which stays open. `env` says where agents keep
    their sessions, and where we keep our files. With `redact`, secrets are replaced before anything
    is stored. `servers` are addresses of agents' own servers. With `even_away`, a shared log that
    cannot be reached yet is waited for meanwhile. `warn` is called, in the event loop, with what
    goes wrong beside the work; it may be set later, before that work is begun.
    """

    def __init__(
        self,
        log: str | Path | Log | None = None,
        *,
        env: Mapping[str, str] = os.environ,
        redact: bool = False,
        servers: Sequence[str] = (),
        even_away: bool = False,
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.env, self.home, self.warn = env, data_folder(env), warn
        self._given, self._redact, self._servers = log, redact, servers
        self._even_away = even_away
        self.page_alerts = PageAlerts()
        self._log: Log | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Machine:
        if isinstance(self._given, Log):
            self._log = self._given
        else:
            self._log = await open_log(self._given, self.env, even_away=self._even_away)
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
        sessions = StoredSessionList(self.log, self.env, self.home, redact=self._redact)
        self._stack.push_async_callback(sessions.close)
        return sessions

    @cached_property
    def abandoned_runs(self) -> AbandonedRuns:
        """The runs of the log that no process of this machine writes any more."""
        return AbandonedRuns(self.log, self.env, self.home, redact=self._redact)

    @cached_property
    def controllers(self) -> Controllers:
        """The runs that can be steered: in this process, in others of this machine, and on other
        machines that share the log.
        """
        from unbraid.steer.controllers import Controllers, OtherProcesses, channels_of

        return Controllers(OtherProcesses(*channels_of(self.log, self.home)))

    async def open(self, name: str) -> RunSummary:
        """Returns the run of that name; a session that is not in the log yet is imported. An
        unambiguous prefix of the name is enough. Raises CallerError if there is none.
        """
        return await open_or_import(self.log, name, self.env, redact=self._redact)

    async def import_sessions(
        self, sessions: Iterable[str] | None = None
    ) -> AsyncIterator[ImportedSession]:
        """Brings stored sessions into the log, each once; without names all of them, oldest first.
        Yields the result for each.
        """
        if sessions is None:
            warn = self._warn_later()
            sessions = await asyncio.to_thread(all_sessions, self.env, self.home, warn)
        async for done in import_sessions(self.log, sessions, self.env, redact=self._redact):
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
            redact=self._redact,
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
    async def sending(
        self, to: Destination, *, since_ms: int | None = None
    ) -> AsyncIterator[LogDelivery]:
        """Sends the runs of the log to a server while the block runs: those that are live, and
        those to come; with `since_ms`, older ones, too.
        """
        from unbraid.send.delivery import LogDelivery

        if isinstance(self._given, Log):
            raise CallerError("to send a log, open its machine by the address of the log")
        name = log_name(self._given, self.env)
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
        """Follows one run's session into the log while the block runs, if no other process does."""
        from unbraid.record.watcher import follow_session

        async with follow_session(self.log, run, self.env, warn=self.warn, redact=self._redact):
            yield
