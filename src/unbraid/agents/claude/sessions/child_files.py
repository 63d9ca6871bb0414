"""Where the transcripts of a session's sub-agents are.

2.0 puts them beside the session's own, those of all sessions together; 2.1 into a folder of the
session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from unbraid.agents.claude.heads import head_of
from unbraid.system.files import open_regular
from unbraid.timings import FILE_DATE_TICK_SECONDS

# A file names its session within its first lines.
OWNER_BYTES, OWNER_LINES = 1 << 20, 50


class ChildFiles:
    """Finds the transcripts of one session's sub-agents, in every layout."""

    def __init__(self, main: Path, owner_of: Callable[[Path], str | None]) -> None:
        self._main, self._owner_of = main, owner_of
        self._folder = main.with_suffix("") / "subagents"
        self._project = _Folder(main.parent)

    def found(self) -> Iterator[tuple[str, Path]]:
        """Yields the files that are there, with their names within the session; some more than
        once.
        """
        for path in _walk(self._folder):
            yield str(path.relative_to(self._folder.parent)), path
        for path in self._beside():
            yield path.name, path

    def _beside(self) -> list[Path]:
        """Returns the files of 2.0; a folder of thousands of sessions is not listed for
        every line.
        """
        if not self._project.changed():
            return []
        beside = [Path(each.path) for each in _entries(self._main.parent) if _is_agent(each)]
        mine = [path for path in beside if self._owner_of(path) == self._main.stem]
        if any(self._owner_of(path) is None for path in beside):
            self._project.again()  # one that does not name its session yet
        return mine


class _Folder:
    """Notices whether a folder may have other files in it than at the look before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: int | None = None

    def changed(self) -> bool:
        """Returns whether the folder's time has changed since the last call. A time that is too new
        is not kept: it could stand for two changes.
        """
        try:
            at = self._path.stat().st_mtime_ns
        except OSError:
            return True
        same = at == self._stamp
        self._stamp = at if time.time_ns() - at > FILE_DATE_TICK_SECONDS * 1e9 else None
        return not same

    def again(self) -> None:
        """Forgets the time: the next `changed` returns True."""
        self._stamp = None


class Owners:
    """To which session an `agent-*.jsonl` beside the transcripts (2.0) belongs, read once each."""

    def __init__(self) -> None:
        self._owners: dict[Path, str] = {}

    def of(self, path: Path) -> str | None:
        """Returns the session's id, or None while the file does not say."""
        owner = self._owners.get(path)
        if owner is None:
            try:
                with open_regular(path) as file:
                    first = file.read(OWNER_BYTES).split(b"\n")[:OWNER_LINES]
            except OSError:
                return None
            named = (head_of(line).session_id_transcript for line in first if line)
            owner = next(filter(None, named), None)
            if owner is not None:
                self._owners[path] = owner
        return owner


def _walk(folder: Path) -> list[Path]:
    """Returns the transcripts below a folder, oldest first; no link is followed, so none
    can loop.
    """
    found: list[tuple[int, Path]] = []
    waiting = [str(folder)]
    while waiting:
        for entry in _entries(waiting.pop()):
            try:
                if entry.is_symlink():
                    continue
                if entry.name.endswith(".jsonl"):
                    found.append((entry.stat().st_ctime_ns, Path(entry.path)))
                elif not entry.name.endswith(".json") and entry.is_dir():
                    waiting.append(entry.path)
            except OSError:
                continue
    return [path for _, path in sorted(found)]


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    # Not by `Path`: asked at every look, and a folder may have thousands.
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_agent(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    return name.startswith("agent-") and name.endswith(".jsonl") and not entry.is_symlink()
