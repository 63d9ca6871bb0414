"""All of Claude Code's sessions, watched for changes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.claude.hooks.session import HookedSession, HookReceiver
from unbraid.agents.claude.sessions.beginnings import Beginnings
from unbraid.agents.claude.sessions.follower import TranscriptFollower
from unbraid.agents.claude.sessions.layout import Scan, claude_projects, main_of
from unbraid.agents.claude.sessions.processes import Processes, is_at_rest, lists_itself
from unbraid.agents.port import (
    HookCall,
    HookServices,
    Recorded,
    RunReference,
    SessionState,
    SessionWatch,
    WatchOptions,
)
from unbraid.system.files import is_regular, person_path
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS


class TranscriptWatch(SessionWatch):
    """Claude Code's `SessionWatch`."""

    def __init__(self, env: Mapping[str, str], options: WatchOptions) -> None:
        self._env, self._options = env, options
        self._beginnings = Beginnings()
        self._processes = Processes(env)
        self._mains: dict[str, Path] = {}
        self._stamps: dict[str, int] = {}  # file: when it was last written, at the last scan
        self._problems: dict[str, str] = {}
        self._changed: set[str] = set()
        self._scanning = threading.Lock()
        self._absent: set[str] = set()  # followed, and on no list at the last look
        self._unlisted: set[str] = set()  # of versions that put themselves on none
        self._hooks = HookReceiver(self._add_transcript)

    async def changes(self) -> AsyncGenerator[set[str], None]:
        await asyncio.to_thread(self._compare, is_first=True)
        yield self._taken()
        options = self._options
        found = folder_changes(
            lambda: claude_projects(self._env), inotify=options.inotify, warn=options.warn
        )
        async with aclosing(found):
            async for folders, paths, everywhere in found:
                self._mark(paths, folders)
                if everywhere:
                    await asyncio.to_thread(self._compare)
                yield self._taken()

    def look(self) -> set[str]:
        self._compare()
        changed, self._changed = self._changed, set()
        return changed

    def has(self, session_id: str) -> bool:
        main = self._mains.get(session_id)
        return main is not None and is_regular(main)

    def follow(self, session_id: str, recorded: Recorded) -> TranscriptFollower | None:
        main = self._mains.get(session_id)
        if main is None:
            return None
        self._processes.refresh()
        return TranscriptFollower(
            main=main,
            recorded=recorded,
            beginnings=self._beginnings,
            processes=self._processes,
            hooked=self._hooks.lines(session_id),
            main_now=lambda: self._mains.get(session_id),
        )

    def forget(self, session_id: str) -> None:
        """Forgets what waits for its hooks."""
        self._hooks.forget(session_id)

    # --- hooks ---

    async def hooked(self, call: HookCall, services: HookServices) -> bytes:
        return await self._hooks.answer(call, services)

    def controller(self, session_id: str, run: RunReference) -> HookedSession | None:
        """Returns what steers a session that has hooks; None if it has none."""
        return self._hooks.controller(session_id, run)

    def _add_transcript(self, path: Path) -> None:
        """Adds a transcript that a hook names, if it is where transcripts are."""
        self._mark([person_path(path)], claude_projects(self._env))

    def states(self, among: Collection[str]) -> dict[str, SessionState]:
        """Returns what the processes on Claude Code's own list say. Gone is a session whose process
        is no longer there, or does not live; or that no process had since this watch began.
        """
        gone = self._processes.ended(among)
        absent = self._left(among) if self._processes.keep_a_list() else set()
        # As with an entry that is missing: two looks, in case it is just being written.
        gone |= absent & self._absent
        self._absent = absent - gone
        return self._processes.living() | dict.fromkeys(gone, SessionState(alive=False))

    def _left(self, among: Collection[str]) -> set[str]:
        """Returns those that are on no list, though their version would have put them there."""
        # Asked all the time, of every session: what an old version has written is read once.
        self._unlisted -= self._processes.entries.keys()
        known = self._processes.entries.keys() | self._unlisted
        found = set()
        for name in among:
            main = self._mains.get(name)
            if name in known or main is None or not is_at_rest(main):
                continue
            lists = lists_itself(main)
            if lists:
                found.add(name)
            elif lists is not None:
                self._unlisted.add(name)
        return found

    def _compare(self, *, is_first: bool = False) -> None:
        """Marks the sessions whose files have changed since the last time; the first time, those
        that have changed lately.
        """
        # A thread continues after the task that awaits it was cancelled: the last look waits for
        # it.
        with self._scanning:
            scan, before = Scan(self._env), self._stamps
            self._problems = scan.problems
            # Without what is no longer stored: a watch runs for months.
            self._stamps = {found.main.path: found.mtime_ns for found in scan.sessions}
            self._stamps.update((file.path, file.mtime_ns) for file in scan.beside)
            if is_first:
                now_ns, most = time.time_ns(), RECENT_SESSION_SECONDS * 1e9
                recent = [each for each in scan.sessions if abs(now_ns - each.mtime_ns) < most]
                changed = [found.main.path for found in recent]
                for found in scan.sessions:
                    self._mains.setdefault(found.id, Path(found.main.path))
            else:
                changed = [path for path, at in self._stamps.items() if before.get(path) != at]
            self._mark(map(Path, changed), claude_projects(self._env))

    def _mark(self, paths: Iterable[Path], folders: list[Path]) -> None:
        """Marks the sessions that some files belong to as changed."""
        for path in paths:
            main = main_of(path, folders, self._beginnings.owner)
            if main is not None:
                self._mains[main.stem] = main
                self._changed.add(main.stem)

    def _taken(self) -> set[str]:
        # A watch of one session does not report what is wrong with others.
        for folder, problem in self._problems.items() if self._options.only is None else ():
            self._options.warn(f"{folder}: {problem}")
        self._problems = {}
        changed, self._changed = self._changed, set()
        return changed
