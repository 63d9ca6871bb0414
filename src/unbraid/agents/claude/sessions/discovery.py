"""Which sessions Claude Code has on this machine, and which file belongs to which.

Only names and times are read here, nothing of what is inside. A folder that may not be read is
named in `problems` and left out. Links are not followed, so none can loop, or lead out of here.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.agents.claude.places import claude_projects

SESSION_FILE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")
META_ENDING = ".meta.json"
MAX_DEPTH = 4


class File(Struct, frozen=True, order=True, array_like=True, gc=False):
    """A transcript: where, how long, and when it was last written (nanoseconds)."""

    path: str
    size: int
    mtime_ns: int

    @property
    def id(self) -> str:
        """The id in its name, if it is a session's own."""
        return self.path[-42:-6]


class FoundSession(Struct, frozen=True):
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
    """One look at everything: first the sessions' own transcripts, then those of sub-agents."""

    def __init__(self) -> None:
        self.mains: list[File] = []
        self.sessions: list[FoundSession] = []  # newest first
        self.beside: list[File] = []  # 2.0: `agent-*.jsonl`, of whichever session
        self._folders: set[str] = set()
        self._metas: dict[str, os.DirEntry[str]] = {}
        self.problems: dict[str, str] = {}

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Scan:
        """Returns what there is."""
        scan = cls.of_mains(env)
        scan.find_children()
        return scan

    @classmethod
    def of_mains(cls, env: Mapping[str, str]) -> Scan:
        """Returns the sessions' own transcripts, and no sessions yet."""
        scan = cls()
        for projects in claude_projects(env):
            for folder in scan._entries(str(projects)):
                if _is_folder(folder):
                    scan._project(folder.path)
        return scan

    def find_children(self) -> None:
        """Adds the sub-agents: this makes the sessions."""
        for main in self.mains:
            inner, latest = main.path[:-6], main.mtime_ns
            children: list[File] = []
            if inner in self._folders:
                self._add_below(f"{inner}/subagents", children, MAX_DEPTH)
            for child in children:
                latest = max(latest, child.mtime_ns)
            self.sessions.append(FoundSession(main, tuple(children), latest))
        self.sessions.sort(key=lambda found: found.mtime_ns, reverse=True)

    def meta(self, child: File) -> File | None:
        """Returns what stands beside a sub-agent's transcript, as it is now."""
        entry = self._metas.get(child.path.removesuffix(".jsonl") + META_ENDING)
        return None if entry is None else _file(entry)

    def _project(self, folder: str) -> None:
        for entry in self._entries(folder):
            name = entry.name
            if name.endswith(".jsonl"):
                file = _file(entry)
                if file is None:
                    continue
                if SESSION_FILE.fullmatch(name):
                    self.mains.append(file)
                elif name.startswith("agent-"):
                    self.beside.append(file)
            elif len(name) == 36:
                self._folders.add(entry.path)

    def _add_below(self, folder: str, children: list[File], depth: int) -> None:
        for entry in self._entries(folder, missing_ok=True):
            name = entry.name
            if name.endswith(".jsonl"):
                file = _file(entry)
                if file is not None:
                    children.append(file)
            elif name.endswith(META_ENDING):
                self._metas[entry.path] = entry
            elif depth and "." not in name and _is_folder(entry):
                self._add_below(entry.path, children, depth - 1)

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
    except OSError:  # a folder that we may not read
        return False


def _file(entry: os.DirEntry[str]) -> File | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None  # opening a pipe would wait forever
    return File(entry.path, status.st_size, status.st_mtime_ns)
