"""All of OpenCode's root sessions, watched: their rows, and what servers report of them.

A look at a database that has not changed costs two `stat`s, and once a second a look at which
processes have it open.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

from unbraid.agents.hook_port import HookCall, HookServices
from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.hooks.receiver import PluginReceiver
from unbraid.agents.opencode.places import SESSION_ID, opencode_database
from unbraid.agents.opencode.sessions.changes import Database
from unbraid.agents.opencode.sessions.controller import ServerController
from unbraid.agents.opencode.sessions.follower import ChangedRows, RowFollower, asked_of_person
from unbraid.agents.opencode.sessions.server import OpenCodeServer
from unbraid.agents.opencode.sessions.server_watch import ServerWatch
from unbraid.agents.opencode.sessions.writers import Writers
from unbraid.agents.session_port import Recorded, SessionWatch
from unbraid.errors import SourceError
from unbraid.system.clock import now_ms
from unbraid.timings import (
    LIVE_SESSION_SECONDS,
    PROCESS_CHECK_SECONDS,
    RECENT_ROWS_MS,
    STORE_APPEARING_POLL_SECONDS,
)

# A look at a database that has not changed costs two `stat`s.
DATABASE_POLL_SECONDS = 0.1


class DatabaseWatch(SessionWatch):
    """OpenCode's `SessionWatch`."""

    def __init__(
        self,
        env: Mapping[str, str],
        servers: Sequence[OpenCodeServer],
        *,
        warn: Callable[[str], None],
        edition: Edition = OPENCODE,
    ) -> None:
        self._env, self._warn, self._edition = env, warn, edition
        self._servers = [ServerWatch(server, self._give, warn) for server in servers]
        self._database: Database | None = None
        self._writers: Writers | None = None
        self._followers: dict[str, RowFollower] = {}
        self._unread: dict[str, list[bytes]] = {}  # server events of unfollowed sessions
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        # Looks run in threads, which continue after the task that awaits them was cancelled.
        self._looking = threading.Lock()
        # Events come on the event loop while a thread begins to follow their session: each goes to
        # the follower or to what it is given first. Never held for long.
        self._giving = threading.Lock()
        self._plugins = PluginReceiver(self._root_of, self._give)

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields root sessions whose rows have changed, or of which a server has reported."""
        reporting = [asyncio.create_task(server.run()) for server in self._servers]
        try:
            await self._look_now()
            yield self._taken()
            looked = time.monotonic()
            while True:
                is_there = self._database is not None
                pause = DATABASE_POLL_SECONDS if is_there else STORE_APPEARING_POLL_SECONDS
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._wake.wait()
                self._wake.clear()
                due = time.monotonic() - looked >= PROCESS_CHECK_SECONDS
                if self._is_there() and (due or not self._is_quiet() or self._beginning()):
                    looked = time.monotonic()
                    await self._look_now()
                if self._changed:
                    yield self._taken()
        finally:
            for task in reporting:
                task.cancel()
            await asyncio.gather(*reporting, return_exceptions=True)

    def look(self) -> set[str]:
        """Reads the rows that wait for others, too. Returns the sessions that have changed."""
        self._look(last=True)
        return self._taken()

    def has(self, session_id: str) -> bool:
        """Returns whether it was there at the last look; a server may report any session."""
        served = any(not server.is_others for server in self._servers)
        reported = served and SESSION_ID.fullmatch(session_id) is not None
        return reported or self._stored(session_id)

    def follow(self, session_id: str, recorded: Recorded) -> RowFollower | None:
        """Returns a follower that reads its rows from where the log stands."""
        with self._looking:
            stored = self._stored(session_id)
            follower = RowFollower(session_id, recorded, self._database if stored else None)
            with self._giving:
                unread = self._unread.pop(session_id, [])
                if not stored and not unread and recorded.is_new:
                    return None
                follower.give_events(asked_of_person(unread) if stored else unread, whole=False)
                self._followers[session_id] = follower
            follower.read_first()
        return follower

    def forget(self, session_id: str) -> None:
        """Forgets a session; what is found later is read from its rows by its next follower."""
        with self._giving:
            self._followers.pop(session_id, None)
            self._unread.pop(session_id, None)

    def controller(
        self, session_id: str, run: str, agent_of: Callable[[int], Awaitable[str | None]]
    ) -> ServerController | None:
        """Returns what steers a session, if a server or a plugin has reported it."""
        for reported in (*(each.controllers for each in self._servers), self._plugins.controllers):
            if (controller := reported.get(session_id)) is not None:
                controller.set_run(agent_of)
                return controller
        return None

    # --- its plugin ---

    @property
    def hook_kind(self) -> str:
        """The name of the program."""
        return self._edition.name

    def use_hooks(self, services: HookServices) -> None:
        """Listens to plugins from now on."""
        self._plugins.begin(services)

    async def hooked(self, call: HookCall) -> bytes:
        """Returns the answer to a plugin."""
        return await self._plugins.take(call)

    def _root_of(self, session_id: str) -> str:
        return session_id if self._database is None else self._database.root(session_id)

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those whose last words were read, and of whose processes none lives."""
        among = list(among)
        with self._looking:
            if self._writers is None or self._database is None:
                return set()
            over = self._writers.gone - self._changed - self._database.waiting
            for root in over:
                self._writers.forget(root)
            if self._writers.are_absent:
                # Its process had gone before this watch came, if it was ever seen from here.
                left = {root: self._followers[root] for root in among if root in self._followers}
                over |= {
                    root
                    for root, follower in left.items()
                    if follower.silent_seconds() > LIVE_SESSION_SECONDS
                }
            return over.intersection(among)

    async def _look_now(self) -> None:
        try:
            await asyncio.to_thread(self._look)
        except SourceError as error:
            self._warn(str(error))

    def _give(self, root: str, lines: list[bytes], *, whole: bool = False) -> None:
        with self._giving:
            follower = self._followers.get(root)
            if follower is None:
                self._unread.setdefault(root, []).extend(lines)
            else:
                follower.give_events(lines, whole=whole)
        self._changed.add(root)
        self._wake.set()

    def _stored(self, session_id: str) -> bool:
        return self._database is not None and self._database.has(session_id)

    def _look(self, *, last: bool = False) -> None:
        with self._looking:
            for root, follower in list(self._followers.items()):
                if follower.unsettled and follower.read_first(at_once=last):
                    self._changed.add(root)
            for root, lines in self._rows(last=last).items():
                if (followed := self._followers.get(root)) is not None:
                    assert self._database is not None
                    followed.give_rows(ChangedRows(lines, self._database.upto.get(root, 0)))
                self._changed.add(root)

    def _rows(self, *, last: bool) -> dict[str, list[bytes]]:
        if self._database is None:
            path = opencode_database(self._env, self._edition)
            if path is None:
                return {}
            self._database = Database(path, now_ms() - RECENT_ROWS_MS)
            self._writers = Writers(path)
        assert self._writers is not None
        self._writers.looking()
        changed = self._database.changed(last=last)
        if self._database.changed_roots is not None:
            self._writers.looked(self._database.changed_roots)
        return changed

    def _is_there(self) -> bool:
        """Returns whether there is a database; to find none costs less than to start a thread."""
        return self._database is not None or opencode_database(self._env, self._edition) is not None

    def _is_quiet(self) -> bool:
        return self._database is not None and self._database.quiet

    def _beginning(self) -> bool:
        return any(follower.unsettled for follower in list(self._followers.values()))

    def _taken(self) -> set[str]:
        changed, self._changed = self._changed, set()
        return changed
