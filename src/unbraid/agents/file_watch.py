"""Sessions in files, watched: which files have changed, and whose sessions those are."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.files import FileLayout, Files, FilesFollower
from unbraid.agents.port import SessionWatch, WatchOptions
from unbraid.agents.source import Recorded
from unbraid.system.files import is_regular
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS

Follow = Callable[[str, Recorded, Callable[[], Files]], FilesFollower]


class FileWatch(SessionWatch):
    """The files of a layout. Nothing is known of processes: runs end by silence. `follow` makes a
    follower of a session.
    """

    def __init__(self, layout: FileLayout, follow: Follow, options: WatchOptions) -> None:
        self.paths: dict[str, Path] = {}
        self._layout, self._follow = layout, follow
        self._options = options
        self._stamps: dict[str, int] = {}
        self._has_looked = False
        # Looks run in threads, which continue after the task that awaits them was cancelled.
        self._looking = threading.Lock()

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the sessions of which a file has changed; at first, of those that did so
        lately.
        """
        await asyncio.to_thread(self._scan)
        since = time.time_ns() - int(RECENT_SESSION_SECONDS * 1e9)
        recent = {name for name, at in self._stamps.items() if at >= since}
        yield await asyncio.to_thread(self._roots, recent)
        options = self._options
        found = folder_changes(self._layout.folders, inotify=options.inotify, warn=options.warn)
        async with aclosing(found):
            async for _, paths, everywhere in found:
                changed = await asyncio.to_thread(self._scan) if everywhere else set()
                changed |= await asyncio.to_thread(self._written, paths)
                yield await asyncio.to_thread(self._roots, changed) if changed else set()

    def look(self) -> set[str]:
        """Compares all files with the scan before. Returns the sessions that have changed."""
        return self._roots(self._scan())

    def has(self, session_id: str) -> bool:
        """Returns whether the file of its main agent is there."""
        path = self.paths.get(session_id)
        return path is not None and is_regular(path)

    def follow(self, session_id: str, recorded: Recorded) -> FilesFollower | None:
        """Returns a follower that reads its files from where the log stands."""
        if session_id not in self.paths:
            return None
        return self._follow(session_id, recorded, lambda: dict(self.paths))

    def _scan(self) -> set[str]:
        """Compares all files with the scan before. Returns the agents whose files have changed; the
        first scan finds only what is old.
        """
        with self._looking:
            before, self.paths = self._stamps, self._layout.files()
            self._stamps = {name: _mtime_ns(path) for name, path in self.paths.items()}
            has_looked, self._has_looked = self._has_looked, True
            changed = {name for name, at in self._stamps.items() if before.get(name) != at}
            return changed if has_looked else set()

    def _written(self, paths: Iterable[Path]) -> set[str]:
        """Returns the agents whose files are among those that were written."""
        changed = set()
        with self._looking:
            for path in paths:
                # Not everything with such a name is a file.
                if (name := self._layout.agent_of(path)) is None or not is_regular(path):
                    continue
                if not self.has(name):
                    self.paths[name] = path
                self._stamps[name] = _mtime_ns(self.paths[name])
                changed.add(name)
        return changed

    def _roots(self, agents: Iterable[str]) -> set[str]:
        files = dict(self.paths)
        # A file's first line may name its parent: without that line, it would seem to have none.
        begun = [each for each in agents if each in files and self._layout.has_begun(files[each])]
        found = {self._layout.root(agent, files) for agent in begun}
        return {root for root in found if root is not None}


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
