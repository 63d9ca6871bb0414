"""All of OpenCode's root sessions, watched: their rows, what servers report of them live, word by
word, and what plugins report.

A look at a database that has not changed costs two `stat`s, and once a second a look at which
processes have it open.

The event stream of a server has no ids, so nothing can be replayed: after every (re)connection the
state of its sessions is read once, and the reader of the lines recognizes what it has seen before.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
)
from typing import Any

import msgspec

from unbraid.agents.opencode.editions import Edition
from unbraid.agents.opencode.follower import Database, RowFollower, asked_of_person
from unbraid.agents.opencode.hooks import EVENT, ORDERS, EventCall, OrdersCall, PluginLink
from unbraid.agents.opencode.records import SessionTree, export_as_lines
from unbraid.agents.opencode.server import OpenCodeServer, ServerController, ServerRequests
from unbraid.agents.opencode.store import SESSION_ID, Installation
from unbraid.agents.opencode.writers import Writers
from unbraid.agents.port import (
    HookCall,
    HookServices,
    Recorded,
    RunReference,
    SessionState,
    SessionWatch,
    WatchOptions,
)
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
# A server that has gone may come back on the same port.
SERVER_RECONNECT_SECONDS = 1.0

PERMISSION = b'"permission.'


class DatabaseWatch(SessionWatch):
    """OpenCode's `SessionWatch`."""

    def __init__(self, here: Installation, options: WatchOptions) -> None:
        self.here, self._warn = here, options.warn
        servers = [OpenCodeServer(url, here.env, edition=here.edition) for url in options.servers]
        self._servers = [_ServerWatch(server, self, options.warn) for server in servers]
        self._plugins: dict[int, PluginLink] = {}  # by process
        self._plugin_sessions = SessionTree()
        self._controllers: dict[str, ServerController] = {}  # of reported sessions
        self._database: Database | None = None
        self._writers: Writers | None = None
        self._followers: dict[str, RowFollower] = {}
        self._unread: dict[str, list[bytes]] = {}  # events of unfollowed sessions
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        # Looks run in threads, which continue after the task that awaits them was cancelled.
        self._looking = threading.Lock()
        # Events come on the event loop while a thread begins to follow their session: each goes to
        # the follower or to what it is given first. Never held for long.
        self._giving = threading.Lock()

    async def changes(self) -> AsyncGenerator[set[str], None]:
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
                if self._needs_look(time.monotonic() - looked):
                    looked = time.monotonic()
                    await self._look_now()
                if self._changed:
                    yield self._taken()
        finally:
            for task in reporting:
                task.cancel()
            await asyncio.gather(*reporting, return_exceptions=True)

    def look(self) -> set[str]:
        self._look()
        return self._taken()

    def has(self, session_id: str) -> bool:
        """Returns whether it was there at the last look; a server may report any session."""
        served = any(not server.is_others for server in self._servers)
        reported = served and SESSION_ID.fullmatch(session_id) is not None
        return reported or (self._database is not None and self._database.has(session_id))

    def follow(self, session_id: str, recorded: Recorded) -> RowFollower | None:
        with self._looking:
            stored = self._database is not None and self._database.has(session_id)
            path = self._database.path if self._database is not None and stored else None
            follower = RowFollower(session_id, recorded, path)
            with self._giving:
                unread = self._unread.pop(session_id, [])
                if not stored and not unread and recorded.is_new:
                    return None
                follower.give_events(asked_of_person(unread) if stored else unread, whole=False)
                self._followers[session_id] = follower
        return follower

    def forget(self, session_id: str) -> None:
        """Forgets a session; what is found later is read from its rows by its next follower."""
        with self._giving:
            self._followers.pop(session_id, None)
            self._unread.pop(session_id, None)

    def controller(self, session_id: str, run: RunReference) -> ServerController | None:
        """Returns what steers a session, if a server or a plugin has reported it."""
        controller = self._controllers.get(session_id)
        if controller is not None:
            controller.agent_of = run.agent_id
        return controller

    def states(self, among: Collection[str]) -> dict[str, SessionState]:
        """Returns those that are gone: who lives is known only until nobody writes."""
        with self._looking:
            if self._writers is None:
                return {}
            waiting = {root for root, each in list(self._followers.items()) if each.unsettled}
            over = self._writers.gone - self._changed - waiting
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
            return dict.fromkeys(over.intersection(among), SessionState(alive=False))

    # --- what servers and plugins report ---

    def report(
        self, root: str, lines: list[bytes], by: ServerRequests, *, whole: bool = False
    ) -> None:
        """Takes events of a root session, `whole` if they are its state from the beginning, from
        whoever has it, and can steer it.
        """
        controller = self._controllers.get(root)
        if controller is None:
            controller = self._controllers[root] = ServerController(by, root)
        controller.server = by  # another process may have had it before
        if lines:
            events = [
                controller.permission_event(line) if PERMISSION in line else line for line in lines
            ]
            self._give(root, events, whole=whole)

    async def hooked(self, call: HookCall, services: HookServices) -> bytes:
        if not call.process:
            return b""
        link = self._plugins.setdefault(call.process, PluginLink())
        if call.what == EVENT:
            self._plugin_event(msgspec.json.decode(call.body, type=EventCall).event, link, services)
        elif call.what == ORDERS:
            given = msgspec.json.decode(call.body, type=OrdersCall)
            for event in given.events:
                self._plugin_event(event, link, services)
            return await link.fetch(given.done)
        return b""

    def _plugin_event(
        self, event: dict[str, Any], link: PluginLink, services: HookServices
    ) -> None:
        line = msgspec.json.encode(event)
        session = self._plugin_sessions.root_of(line)
        if session is None or SESSION_ID.fullmatch(session) is None:
            return
        root = session if self._database is None else self._database.root(session)
        # All else is in its rows.
        is_permission = str(event.get("type")).startswith("permission.")
        self.report(root, [line + b"\n"] if is_permission else [], link)
        services.look(self.here.edition.name, root)

    def _give(self, root: str, lines: list[bytes], *, whole: bool = False) -> None:
        with self._giving:
            follower = self._followers.get(root)
            if follower is None:
                self._unread.setdefault(root, []).extend(lines)
            else:
                follower.give_events(lines, whole=whole)
        self._changed.add(root)
        self._wake.set()

    # --- rows ---

    def _needs_look(self, seconds: float) -> bool:
        """Returns whether a look may find something, `seconds` after the last one."""
        if self._database is None:
            # To find none costs less than to start a thread.
            return self.here.database is not None
        return seconds >= PROCESS_CHECK_SECONDS or not self._database.quiet

    async def _look_now(self) -> None:
        try:
            await asyncio.to_thread(self._look)
        except SourceError as error:
            self._warn(str(error))

    def _look(self) -> None:
        with self._looking:
            if self._database is None or self._writers is None:
                path = self.here.database
                if path is None:
                    return
                self._database = Database(path, now_ms() - RECENT_ROWS_MS)
                self._writers = Writers(path)
            self._writers.looking()
            self._database.changed(last=True)
            changed = self._database.changed_roots
            if changed is not None:
                self._writers.looked(changed)
                for root in changed:
                    if (follower := self._followers.get(root)) is not None:
                        follower.may_have_changed = True
                self._changed |= changed

    def _taken(self) -> set[str]:
        changed, self._changed = self._changed, set()
        return changed


class _ServerWatch:
    """Follows one server, and reports what its sessions say, in the event loop."""

    def __init__(
        self, server: OpenCodeServer, watch: DatabaseWatch, warn: Callable[[str], None]
    ) -> None:
        self.is_others = False  # a server of another program than the one whose sessions we watch
        self._server, self._watch, self._warn = server, watch, warn
        self._tree = SessionTree()

    async def run(self) -> None:
        """Follows the server until it is cancelled, and connects again after a loss."""
        while True:
            try:
                # The stream first, then the state: what happens in between comes twice, not never.
                async with self._server.events() as events:
                    # Every edition is given every address; only one of them follows it.
                    self.is_others = await self._edition() != self._watch.here.edition
                    if self.is_others:
                        return
                    await self._follow(events)
            except SourceError as error:
                self._warn(str(error))
                await asyncio.sleep(SERVER_RECONNECT_SECONDS)

    async def _edition(self) -> Edition:
        """Returns the program behind the address."""
        try:
            health = await self._server.call("GET", "/global/health")
        except SourceError:
            health = None  # early releases of OpenCode do not have it
        version = health.get("version") if isinstance(health, dict) else None
        return self._watch.here.editions.of_version(version)

    async def _follow(self, events: AsyncIterator[bytes]) -> None:
        arrived: asyncio.Queue[bytes | SourceError] = asyncio.Queue()
        reading = asyncio.create_task(_read(events, arrived))
        try:
            await self._report_state()
            while True:
                event = await arrived.get()
                if isinstance(event, SourceError):
                    raise event
                root = self._tree.root_of(event)
                if root is not None:
                    self._watch.report(root, [event + b"\n"], self._server)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _report_state(self) -> None:
        """Reports the sessions that have changed lately as they are now."""
        since_ms = now_ms() - RECENT_ROWS_MS
        sessions = await self._server.call("GET", "/session")
        for info in sessions:
            self._tree.add(info["id"], info.get("parentID"))
        recent = {
            self._tree.root(info["id"])
            for info in sessions
            if (info.get("time") or {}).get("updated", 0) >= since_ms
        }
        for info in sorted(sessions, key=lambda info: info["id"], reverse=True):
            root = self._tree.root(info["id"])
            if root in recent:
                messages = await self._server.call("GET", f"/session/{info['id']}/message")
                state = export_as_lines({"info": info, "messages": messages})
                self._watch.report(root, state, self._server, whole=True)


async def _read(events: AsyncIterator[bytes], arrived: asyncio.Queue[bytes | SourceError]) -> None:
    """Reads what the server sends at once into a queue, however long its lines take to be
    handled.
    """
    try:
        async for event in events:
            arrived.put_nowait(event)
    except SourceError as error:
        arrived.put_nowait(error)
