"""All of Codex's sessions, watched for changes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.codex.places import codex_folders
from unbraid.agents.codex.sessions.follower import RolloutFollower
from unbraid.agents.codex.sessions.rollout_file import ends_turn, has_first_line, thread_of_name
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.codex.sessions.writers import RolloutWriters, watched_tree
from unbraid.agents.session_port import Recorded, SessionWatch
from unbraid.system.files import is_regular
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS


class RolloutWatch(SessionWatch):
    """Codex's `SessionWatch`."""

    def __init__(
        self, env: Mapping[str, str], *, warn: Callable[[str], None], inotify: bool
    ) -> None:
        self._env, self._warn, self._inotify = env, warn, inotify
        self._folders = RolloutFolders(codex_folders(env))
        self._files: dict[str, Path] = {}
        self._stamps: dict[str, int] = {}
        self._writers = RolloutWriters()
        self._has_looked = False
        # Looks run in threads, which continue after the task that awaits them was cancelled.
        self._looking = threading.Lock()

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields root sessions of which a rollout has changed."""
        await asyncio.to_thread(self.look)
        since = time.time_ns() - int(RECENT_SESSION_SECONDS * 1e9)
        recent = [thread for thread, at in self._stamps.items() if at >= since]
        yield await asyncio.to_thread(self._roots, recent)
        found = folder_changes(
            lambda: codex_folders(self._env), inotify=self._inotify, warn=self._warn
        )
        async with aclosing(found):
            async for _, paths, everywhere in found:
                changed = await asyncio.to_thread(self.look) if everywhere else set()
                changed |= await asyncio.to_thread(self._noted, paths)
                yield changed

    def look(self) -> set[str]:
        """Compares all files with the look before. Returns the sessions that have changed."""
        with self._looking:
            self._folders = RolloutFolders(codex_folders(self._env), self._folders)
            before, self._files = self._stamps, self._folders.files()
            self._stamps = {thread: _mtime_ns(path) for thread, path in self._files.items()}
            changed = [name for name, at in self._stamps.items() if before.get(name) != at]
            # The first look finds what is old; later ones also what comes where nothing was.
            has_looked, self._has_looked = self._has_looked, True
            return self._roots(changed) if has_looked else set()

    def has(self, session_id: str) -> bool:
        """Returns whether its rollout is there."""
        path = self._files.get(session_id)
        return path is not None and is_regular(path)

    def follow(self, session_id: str, recorded: Recorded) -> RolloutFollower | None:
        """Returns a follower that reads its rollouts from where the log stands."""
        if session_id not in self._files:
            return None
        self._writers.look()
        return RolloutFollower(recorded, lambda: self._tree(session_id))

    def forget(self, session_id: str) -> None:
        """Does nothing: nothing is held of a session."""

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those whose files no process has open any more, or only the shared server, in
        which no agent works and no terminal may show it.
        """
        files = dict(self._files)
        trees = {name: watched_tree(self._folders.tree(name, files)) for name in among}
        return self._writers.ended(trees, self._says_it_is_over)

    def _says_it_is_over(self, session_id: str) -> bool:
        """Returns whether this was `codex exec`, which ends with its turn, and the turn is over."""
        path = self._files.get(session_id)
        head = None if path is None else self._folders.head(path)
        return path is not None and head is not None and head.source == "exec" and ends_turn(path)

    def _tree(self, session_id: str) -> list[Path]:
        return [file.path for file in self._folders.tree(session_id, dict(self._files))]

    def _noted(self, paths: Iterable[Path]) -> set[str]:
        changed = []
        with self._looking:
            for path in paths:
                thread = thread_of_name(path.name)
                if thread is not None and path.suffix == ".jsonl" and is_regular(path):
                    self._files[thread] = path
                    self._stamps[thread] = _mtime_ns(path)
                    changed.append(thread)
            return self._roots(changed)

    def _roots(self, threads: Iterable[str]) -> set[str]:
        files = dict(self._files)
        # A thread's first line names its parent: without that line, it would seem to have none.
        begun = [thread for thread in threads if self._has_begun(files[thread])]
        found = {self._folders.root(thread, files) for thread in begun}
        return {root for root in found if root is not None}

    def _has_begun(self, path: Path) -> bool:
        return self._folders.head(path) is not None or has_first_line(path)


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
