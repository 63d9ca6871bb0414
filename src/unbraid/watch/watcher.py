"""Watch this machine: every session that says something is followed into the log.

The folders are watched by inotify where that works. A slow look at all of them runs beside it, for
what inotify cannot see (network file systems) or has dropped. A session is followed while it
speaks; after a long silence, or when its process is gone, its run is ended, and what it says later
is a run of its own.
Everything can die at any moment: what is in the log says where to go on (see `recorder`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from unbraid.agents.claude.discovery import Scan, main_of
from unbraid.agents.claude.processes import Processes
from unbraid.agents.claude.session_files import SETTLE_SECONDS, Owners
from unbraid.agents.opencode.server import OpenCodeServer
from unbraid.agents.places import FAMILIES, OPENCODE_SESSION, claude_projects
from unbraid.control.controllers import Controllers
from unbraid.errors import LogError, SourceError
from unbraid.launch.run_log import now_ms
from unbraid.log.folder import data_folder
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.record.followed import FollowedFiles, to_the_end
from unbraid.record.recorder import Recorder
from unbraid.record.runs import begins_run, latest_run
from unbraid.system.notify import changes
from unbraid.watch.opencode_rows import WatchedRows
from unbraid.watch.opencode_server import WatchedServer

LIVE_SECONDS = 300.0
IDLE_SECONDS = 1800.0
TICK_SECONDS = 0.25
SCAN_SECONDS = 300.0
POLL_SECONDS = 2.0
GONE_SECONDS = 1.0
TOGETHER = 16


class Watcher:
    """Follows everything, or `only` one session; `run` until cancelled, then `close`."""

    def __init__(
        self,
        log: Log,
        leases: Leases,
        env: Mapping[str, str],
        *,
        warn: Callable[[str], None] = lambda text: None,
        idle_seconds: float = IDLE_SECONDS,
        inotify: bool = True,
        servers: Sequence[str] = (),
        controllers: Controllers | None = None,
        redact: bool = False,
        only: str | None = None,
    ) -> None:
        self._log, self._claims, self._env, self._warn = log, leases, env, warn
        self._redact, self._only = redact, only
        self._has_rows = only is None or OPENCODE_SESSION.fullmatch(only) is not None
        self._idle_seconds, self._inotify = idle_seconds, inotify
        self._owners = Owners()
        self._followed: dict[Path, FollowedFiles] = {}
        self._stamps: dict[str, int] = {}
        self._dirty: dict[Path, None] = {}
        self._foreign: set[Path] = set()
        self._processes = Processes(env)
        self._wake = asyncio.Event()
        self._warned: set[str] = set()
        self._rows = WatchedRows(
            log, leases, env, self._warn_once, idle_seconds, redact=redact, only=only
        )
        held = controllers or Controllers()
        self._servers = [
            WatchedServer(
                OpenCodeServer(url, env), self._rows, log, held, self._warn_once, data_folder(env)
            )
            for url in servers
        ]
        self.ready = asyncio.Event()
        self._closing = False

    async def run(self) -> None:
        """Follow what is live now and whatever comes to life."""
        await self._first_look()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._notice())
            tasks.create_task(self._tick())
            if self._has_rows:
                tasks.create_task(self._rows.run())
            for server in self._servers:
                tasks.create_task(server.run())
            self.ready.set()
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._work()

    async def close(self) -> None:
        """A last look at what is followed. Its runs are not over: they may go on without us."""
        self._closing = True
        await self._scan()
        for main in list(self._followed):
            self._dirty[main] = None
        await self._work()
        if self._has_rows:
            await self._rows.close()

    # --- what has changed ---

    async def _first_look(self) -> None:
        scan = await asyncio.to_thread(Scan.of, self._env)
        self._report(scan)
        now_ns = time.time_ns()
        unfinished = {each.session_id for each in await self._log.runs(status="live", limit=1000)}
        for found in scan.sessions:
            self._stamps[found.main.path] = found.mtime_ns
            recent = now_ns - found.mtime_ns < LIVE_SECONDS * 1e9
            if recent or found.id in unfinished:
                self._mark(Path(found.main.path))
        for file in scan.beside:
            self._stamps[file.path] = file.mtime_ns
        there = {found.id for found in scan.sessions}
        if self._only is not None and self._has_rows:
            self._rows.resume(self._only)
        for name in self._claims.abandoned():
            if self._only not in (None, name):
                continue
            if OPENCODE_SESSION.fullmatch(name):
                self._rows.resume(name)
            elif name not in there:
                await self._end(name)

    async def _notice(self) -> None:
        """Changes as the system tells them; where it does not, only the slow look is left."""
        while self._inotify:
            folders = claude_projects(self._env)
            if not folders:
                await asyncio.sleep(TICK_SECONDS)
                continue
            missed = True
            try:
                async for paths in changes(folders):
                    for path in paths:
                        self._changed(path, folders)
                    if missed:
                        # What happened before it had begun to watch, it does not tell.
                        await self._scan()
                        missed = False
                    if claude_projects(self._env) != folders:
                        break
            except (OSError, RuntimeError) as error:
                self._warn_once(f"inotify does not work here ({error}): looking every few seconds")
                self._inotify = False

    async def _tick(self) -> None:
        scanned = counted = listened = time.monotonic()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if time.monotonic() - counted >= GONE_SECONDS:
                await self._end_gone()
                counted = time.monotonic()
            # Not at every tick: there may be thousands that say nothing.
            if time.monotonic() - listened >= self._idle_seconds / 60:
                await self._end_silent()
                listened = time.monotonic()
            for main in self._foreign:
                self._mark(main)
            every = SCAN_SECONDS if self._inotify else POLL_SECONDS
            if time.monotonic() - scanned >= every:
                await self._scan()
                scanned = time.monotonic()

    async def _end_gone(self) -> None:
        """End the runs of processes that are gone: nobody else will."""
        if not self._followed:
            return
        names = (main.stem for main in list(self._followed))
        gone = await asyncio.to_thread(self._processes.ended, names)
        for main, followed in list(self._followed.items()) if gone else ():
            if main.stem in gone:
                await to_the_end(self._finish(main, followed))

    async def _end_silent(self) -> None:
        """End the runs of those who have said nothing for long."""
        for main, followed in list(self._followed.items()):
            if time.monotonic() - followed.heard > self._idle_seconds:
                await to_the_end(self._finish(main, followed))

    async def _scan(self) -> None:
        """Compare everything with the look before."""
        scan = await asyncio.to_thread(Scan.of, self._env)
        self._report(scan)
        for found in scan.sessions:
            if self._stamps.get(found.main.path) != found.mtime_ns:
                self._stamps[found.main.path] = found.mtime_ns
                self._mark(Path(found.main.path))
        folders = claude_projects(self._env)
        for file in scan.beside:
            if self._stamps.get(file.path) != file.mtime_ns:
                self._stamps[file.path] = file.mtime_ns
                self._changed(Path(file.path), folders)

    def _changed(self, path: Path, folders: list[Path]) -> None:
        main = main_of(path, folders, self._owners.of)
        if main is not None:
            self._mark(main)

    def _mark(self, main: Path) -> None:
        if self._only not in (None, main.stem):
            return
        self._dirty[main] = None
        self._wake.set()

    # --- what is done about it ---

    async def _work(self) -> None:
        while self._dirty:
            batch = list(self._dirty)[:TOGETHER]
            for main in batch:
                del self._dirty[main]
            try:
                await asyncio.gather(*map(self._look, batch))
            except asyncio.CancelledError:
                # One that was being opened is not followed yet: the last look is to find it.
                self._dirty.update(dict.fromkeys(batch))
                raise

    async def _look(self, main: Path) -> None:
        try:
            followed = self._followed.get(main) or await self._open(main)
            if followed is not None:
                await followed.look(now=self._closing)
                if not followed.recorder.cursors and not followed.session.unsettled:
                    # Whoever had it has told all: the next run may be someone else's again.
                    self._drop(main)
                elif followed.session.unsettled:
                    loop = asyncio.get_running_loop()
                    loop.call_later(SETTLE_SECONDS, self._mark, main)
                for path, problem in followed.session.problems.items():
                    self._warn_once(f"{path}: {problem}")
        except (LogError, SourceError) as error:
            # The log is full, locked or gone: forget what was held, and go on from it later.
            self._warn_once(str(error))
            self._drop(main)
            self._foreign.add(main)

    async def _open(self, main: Path) -> FollowedFiles | None:
        if not await asyncio.to_thread(main.is_file):
            return None
        self._foreign.discard(main)
        if self._claims.told(main.stem):
            return None
        starting = self._claims.someone_starts() and await begins_run(self._log, main.stem)
        if starting or not self._claims.take(main.stem):
            self._foreign.add(main)
            return None
        await asyncio.to_thread(self._processes.meet)
        followed = await FollowedFiles.open(self._log, main, self._owners.of, redact=self._redact)
        self._followed[main] = followed
        return followed

    async def _finish(self, main: Path, followed: FollowedFiles) -> None:
        try:
            await followed.close()
        except LogError as error:
            self._warn_once(str(error))
        self._drop(main)

    async def _end(self, name: str) -> None:
        """End a run that was left unfinished, and of which there is nothing more to read."""
        run = await latest_run(self._log, name)
        summary = None if run is None else await self._log.run(run)
        if summary is not None and summary.source not in FAMILIES:
            return  # not made of an agent's bytes: someone else's to end
        if not self._claims.take(name):
            return
        try:
            if summary is not None and not summary.over:
                recorder = await Recorder.open(self._log, summary.run, redact=self._redact)
                await recorder.finish(now_ms())
        except LogError as error:
            self._warn_once(str(error))
        finally:
            self._claims.leave(name)

    def _drop(self, main: Path) -> None:
        self._followed.pop(main, None)
        self._claims.leave(main.stem)

    # --- what went wrong ---

    def _report(self, scan: Scan) -> None:
        # Whoever looks at one session has no use for what is wrong with others.
        for folder, problem in scan.problems.items() if self._only is None else ():
            self._warn_once(f"{folder}: {problem}")

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)


async def watching(watch: Watcher, until: asyncio.Event) -> None:
    """Watch until told to stop, and leave nothing unsaid."""
    task = asyncio.create_task(watch.run())
    stopping = asyncio.create_task(until.wait())
    try:
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
    finally:
        stopping.cancel()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await watch.close()
