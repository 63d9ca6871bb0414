"""All of Claude Code's sessions, watched for changes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.claude.hooks.receiver import HookReceiver
from unbraid.agents.claude.hooks.session import HookedSession
from unbraid.agents.claude.places import claude_projects
from unbraid.agents.claude.sessions.child_files import Owners
from unbraid.agents.claude.sessions.copies import FirstMessages
from unbraid.agents.claude.sessions.discovery import Scan, main_of
from unbraid.agents.claude.sessions.follower import TranscriptFollower
from unbraid.agents.claude.sessions.processes import Processes, is_at_rest, lists_itself
from unbraid.agents.hook_port import HookCall, HookServices
from unbraid.agents.session_port import Recorded, SessionWatch
from unbraid.system.files import is_regular, person_path
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS


class TranscriptWatch(SessionWatch):
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
        self._owners, self._firsts = Owners(), FirstMessages()
        self._processes = Processes(env)
        self._mains: dict[str, Path] = {}
        self._stamps: dict[str, int] = {}  # file: when it was last written, at the last scan
        self._problems: dict[str, str] = {}
        self._changed: set[str] = set()
        self._scanning = threading.Lock()
        self._absent: set[str] = set()  # followed, and on no list at the last look
        self._unlisted: set[str] = set()  # of versions that put themselves on none
        self._hooks = HookReceiver(self._meet_transcript)

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the sessions whose transcripts have changed."""
        await asyncio.to_thread(self._first_look)
        yield self._taken()
        found = folder_changes(
            lambda: claude_projects(self._env), inotify=self._inotify, warn=self._warn
        )
        async with aclosing(found):
            async for folders, paths, everywhere in found:
                for path in paths:
                    self._note(path, folders)
                if everywhere:
                    await asyncio.to_thread(self._compare)
                yield self._taken()

    def look(self) -> set[str]:
        """Compares everything with the look before. Returns the sessions that have changed."""
        self._compare()
        changed, self._changed = self._changed, set()
        return changed

    def has(self, session_id: str) -> bool:
        """Returns whether its transcript is a file."""
        main = self._mains.get(session_id)
        return main is not None and is_regular(main)

    def follow(self, session_id: str, recorded: Recorded) -> TranscriptFollower | None:
        """Returns a follower that reads its transcripts from where the log stands."""
        main = self._mains.get(session_id)
        if main is None:
            return None
        self._processes.meet()
        return TranscriptFollower(
            main=main,
            recorded=recorded,
            owner_of=self._owners.of,
            processes=self._processes,
            firsts=self._firsts,
            hooked=self._hooks.lines(session_id),
            main_now=lambda: self._mains.get(session_id),
        )

    def forget(self, session_id: str) -> None:
        """Forgets what waits for its hooks."""
        self._hooks.forget(session_id)

    # --- hooks ---

    @property
    def hook_kind(self) -> str:
        """The name of its kind."""
        return "claude"

    def use_hooks(self, services: HookServices) -> None:
        """Listens to hooks from now on."""
        self._hooks.begin(services)

    async def hooked(self, call: HookCall) -> bytes:
        """Returns the answer to a hook."""
        return await self._hooks.take(call)

    def controller(
        self, session_id: str, run: str, agent_of: Callable[[int], Awaitable[str | None]]
    ) -> HookedSession | None:
        """Returns what steers a session that has hooks; None if it has none."""
        return self._hooks.controller(session_id, run, agent_of)

    def _meet_transcript(self, path: Path) -> None:
        """Notes a transcript that a hook names, if it is where transcripts are."""
        self._note(person_path(path), claude_projects(self._env))

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those whose processes are no longer on Claude Code's own list, or do not live; or
        that no process had since this watch began.
        """
        among = list(among)
        gone = self._processes.ended(among)
        absent = self._left(among) if self._processes.keep_a_list() else set()
        # As with an entry that is missing: two looks, in case it is just being written.
        gone |= absent & self._absent
        self._absent = absent - gone
        return gone

    def _left(self, among: Iterable[str]) -> set[str]:
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

    def changed_states(self) -> set[str]:
        """Returns those whose processes say that they do something else."""
        return self._processes.changed()

    def is_alive(self, session_id: str) -> bool:
        """Returns whether it is on Claude Code's own list."""
        return session_id in self._processes.entries

    def _first_look(self) -> None:
        scan = self._scan()
        now_ns = time.time_ns()
        for found in scan.sessions:
            self._stamps[found.main.path] = found.mtime_ns
            self._mains.setdefault(found.id, Path(found.main.path))
            if abs(now_ns - found.mtime_ns) < RECENT_SESSION_SECONDS * 1e9:
                self._mark(Path(found.main.path))
        for file in scan.beside:
            self._stamps[file.path] = file.mtime_ns

    def _compare(self) -> None:
        # A thread continues after the task that awaits it was cancelled: the last look waits for
        # it.
        with self._scanning:
            scan = self._scan()
            folders = claude_projects(self._env)
            # What is no longer stored: a watch runs for months.
            present = {found.main.path for found in scan.sessions}
            present.update(file.path for file in scan.beside)
            for path in self._stamps.keys() - present:
                del self._stamps[path]
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
        # A watch of one session does not report what is wrong with others.
        for folder, problem in self._problems.items() if self._only is None else ():
            self._warn(f"{folder}: {problem}")
        self._problems = {}
        changed, self._changed = self._changed, set()
        return changed
