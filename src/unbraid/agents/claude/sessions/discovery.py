"""Which sessions Claude Code has on this machine, and which file belongs to which.

Only names and times are read here, nothing of what is inside. A folder that may not be read is
named in `problems` and left out. Links are not followed, so none can loop, or lead out of here.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.claude.places import claude_projects

SESSION_FILE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")
META_ENDING = ".meta.json"
MAX_DEPTH = 4


class File(NamedTuple):
    """A transcript: where, how long, and when it was last written (nanoseconds)."""

    path: str
    size: int
    mtime_ns: int

    @property
    def id(self) -> str:
        """The id in its name, if it is a session's own."""
        return self.path[-42:-6]


class FoundSession(NamedTuple):
    """A session: its own transcript, those of its sub-agents in the layout of 2.1, and when any of
    them was last written.
    """

    main: File
    children: tuple[File, ...]
    mtime_ns: int

    @property
    def id(self) -> str:
        """The session's id."""
        return self.main.id


class Scan:
    """One look at everything."""

    def __init__(self) -> None:
        self.sessions: list[FoundSession] = []
        self.beside: list[File] = []  # 2.0: `agent-*.jsonl`, of whichever session
        self._metas: dict[str, os.DirEntry[str]] = {}
        self.problems: dict[str, str] = {}

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Scan:
        """Returns what there is, newest first."""
        scan = cls()
        for projects in claude_projects(env):
            for folder in scan._entries(str(projects)):
                if _is_folder(folder):
                    scan._project(folder.path)
        scan.sessions.sort(key=lambda found: found.mtime_ns, reverse=True)
        return scan

    def meta(self, child: File) -> File | None:
        """Returns what stands beside a sub-agent's transcript, as it is now."""
        entry = self._metas.get(child.path.removesuffix(".jsonl") + META_ENDING)
        return None if entry is None else _file(entry)

    def _project(self, folder: str) -> None:
        mains: list[File] = []
        folders: set[str] = set()
        for entry in self._entries(folder):
            name = entry.name
            if name.endswith(".jsonl"):
                file = _file(entry)
                if file is None:
                    continue
                if SESSION_FILE.fullmatch(name):
                    mains.append(file)
                elif name.startswith("agent-"):
                    self.beside.append(file)
            elif len(name) == 36:
                folders.add(name)
        for main in mains:
            inner = main.path[:-6]
            has = inner[-36:] in folders
            children = tuple(self._below(f"{inner}/subagents", MAX_DEPTH)) if has else ()
            latest = max([main.mtime_ns, *(child.mtime_ns for child in children)])
            self.sessions.append(FoundSession(main, children, latest))

    def _below(self, folder: str, depth: int) -> Iterator[File]:
        for entry in self._entries(folder, missing_ok=True):
            if entry.name.endswith(".jsonl"):
                file = _file(entry)
                if file is not None and entry.name.startswith("agent-"):
                    yield file
            elif entry.name.endswith(META_ENDING):
                self._metas[entry.path] = entry
            elif depth and "." not in entry.name and _is_folder(entry):
                yield from self._below(entry.path, depth - 1)

    def _entries(self, folder: str, *, missing_ok: bool = False) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError as error:
            if not missing_ok or not isinstance(error, NotADirectoryError):
                self.problems[folder] = error.strerror or str(error)
            return []


def main_of(
    path: Path, projects: Iterable[Path], owner_of: Callable[[Path], str | None]
) -> Path | None:
    """Returns the session's own transcript that a file below Claude Code's folders belongs to."""
    for folder in projects:
        try:
            parts = path.relative_to(folder).parts
        except ValueError:
            continue
        if len(parts) < 2:
            return None
        project = folder / parts[0]
        if len(parts) > 2:
            main = project / f"{parts[1]}.jsonl"
            return main if SESSION_FILE.fullmatch(main.name) else None
        if SESSION_FILE.fullmatch(path.name):
            return path
        if path.name.startswith("agent-") and path.suffix == ".jsonl":
            owner = owner_of(path)
            return project / f"{owner}.jsonl" if owner else None
    return None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # where nobody may look
        return False


def _file(entry: os.DirEntry[str]) -> File | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None  # opening a pipe would wait for ever
    return File(entry.path, status.st_size, status.st_mtime_ns)
