"""All of Claude Code's sessions, watched for changes.

Its folders are watched by inotify where that works. A slow look at all of them runs beside it, for
what inotify cannot see (network file systems) or has dropped.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.claude.discovery import Scan, main_of
from unbraid.agents.claude.follower import TranscriptFollower
from unbraid.agents.claude.places import claude_projects
from unbraid.agents.claude.processes import Processes
from unbraid.agents.claude.session_files import Owners
from unbraid.agents.stored import Recorded
from unbraid.system import notify

RECENT_SECONDS = 300.0
APPEARING_SECONDS = 0.25
SCAN_SECONDS = 300.0
POLL_SECONDS = 2.0


class TranscriptWatch:
    """Claude Code's `SessionWatch`."""

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        warn: Callable[[str], None],
        only: str | None,
        inotify: bool,
    ) -> None:
        self._env, self._warn, self._only, self._inotify = env, warn, only, inotify
        self._owners = Owners()
        self._processes = Processes(env)
        self._mains: dict[str, Path] = {}
        self._stamps: dict[str, int] = {}  # file: when it was last written, at the last scan
        self._problems: dict[str, str] = {}
        self._changed: set[str] = set()
        self._scanning, self._scanned = threading.Lock(), 0.0

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields sessions as the system reports changes; where it does not, by the slow look."""
        await asyncio.to_thread(self._first_look)
        yield self._taken()
        while True:
            folders = claude_projects(self._env)
            if not self._inotify or not folders:
                await asyncio.sleep(min(APPEARING_SECONDS, POLL_SECONDS))
                if self._inotify:
                    continue
                await self._scan_after(POLL_SECONDS)
                yield self._taken()
                continue
            missed = True
            try:
                async with aclosing(notify.changes(folders)) as reported:
                    async for paths in reported:
                        for path in paths:
                            self._note(path, folders)
                        # What happened before inotify had begun to watch, it does not report.
                        await self._scan_after(0 if missed else SCAN_SECONDS)
                        missed = False
                        yield self._taken()
                        if claude_projects(self._env) != folders:
                            break
            except (OSError, RuntimeError) as error:
                self._warn(f"inotify does not work here ({error}): looking every few seconds")
                self._inotify = False

    def look(self) -> set[str]:
        """Compares everything with the look before."""
        self._compare()
        changed, self._changed = self._changed, set()
        return changed

    def has(self, session_id: str) -> bool:
        """Whether its transcript is a file."""
        main = self._mains.get(session_id)
        return main is not None and main.is_file()

    def follow(self, session_id: str, recorded: Recorded) -> TranscriptFollower | None:
        """Reads its transcripts from where the log stands."""
        main = self._mains.get(session_id)
        if main is None:
            return None
        self._processes.meet()
        return TranscriptFollower(main, recorded, self._owners.of)

    def forget(self, session_id: str) -> None:
        """Nothing is held of a session."""

    def ended(self, among: Iterable[str]) -> set[str]:
        """Those whose processes are no longer on Claude Code's own list, or do not live."""
        return self._processes.ended(among)

    def _first_look(self) -> None:
        scan = self._scan()
        now_ns = time.time_ns()
        for found in scan.sessions:
            self._stamps[found.main.path] = found.mtime_ns
            self._mains.setdefault(found.id, Path(found.main.path))
            if now_ns - found.mtime_ns < RECENT_SECONDS * 1e9:
                self._mark(Path(found.main.path))
        for file in scan.beside:
            self._stamps[file.path] = file.mtime_ns

    async def _scan_after(self, seconds: float) -> None:
        if time.monotonic() - self._scanned >= seconds:
            await asyncio.to_thread(self._compare)

    def _compare(self) -> None:
        # A thread goes on after whoever awaits it was cancelled: the last look waits for it.
        with self._scanning:
            scan = self._scan()
            folders = claude_projects(self._env)
            for found in scan.sessions:
                if self._stamps.get(found.main.path) != found.mtime_ns:
                    self._stamps[found.main.path] = found.mtime_ns
                    self._mark(Path(found.main.path))
            for file in scan.beside:
                if self._stamps.get(file.path) != file.mtime_ns:
                    self._stamps[file.path] = file.mtime_ns
                    self._note(Path(file.path), folders)

    def _scan(self) -> Scan:
        scan = Scan.of(self._env)
        self._scanned = time.monotonic()
        self._problems = scan.problems
        return scan

    def _note(self, path: Path, folders: list[Path]) -> None:
        main = main_of(path, folders, self._owners.of)
        if main is not None:
            self._mark(main)

    def _mark(self, main: Path) -> None:
        self._mains[main.stem] = main
        self._changed.add(main.stem)

    def _taken(self) -> set[str]:
        # Whoever looks at one session has no use for what is wrong with others.
        for folder, problem in self._problems.items() if self._only is None else ():
            self._warn(f"{folder}: {problem}")
        self._problems = {}
        changed, self._changed = self._changed, set()
        return changed
