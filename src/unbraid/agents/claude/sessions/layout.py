"""Where Claude Code's session files are on this machine, and which belongs to which session.

A session's own transcript is `projects/<folder>/<session>.jsonl`. Those of its sub-agents are in a
folder of the session, each with its facts beside it (`.meta.json`), since 2.1; 2.0 puts them beside
the transcripts of all sessions, as `agent-*.jsonl`. Only names and times are read here, nothing of
what is inside. Links are not followed, so none can loop, or lead out of here.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.system.files import is_regular
from unbraid.timings import FILE_DATE_TICK_SECONDS

SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ENDING, _META_ENDING = ".jsonl", ".meta.json"
MAX_DEPTH = 4
# What the time of a folder may lag behind where a file system keeps full seconds, or every other.
FILE_DATE_SECONDS = 2.5


def claude_configs(env: Mapping[str, str]) -> list[Path]:
    """Returns Claude Code's own folders that have sessions."""
    return [projects.parent.resolve() for projects in _named_projects(env)]


def claude_projects(env: Mapping[str, str]) -> list[Path]:
    """Returns Claude Code's folders of transcripts that exist. They may be links; what is in them
    may not.
    """
    return [projects.resolve() for projects in _named_projects(env)]


def _named_projects(env: Mapping[str, str]) -> list[Path]:
    home = Path(env.get("HOME") or Path.home())
    given = env.get("CLAUDE_CONFIG_DIR")
    folders = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [path for path in (folder / "projects" for folder in folders) if path.is_dir()]


def session_transcripts(session: str, env: Mapping[str, str]) -> Iterator[Path]:
    """Yields the transcripts of one of Claude Code's sessions."""
    for projects in claude_projects(env):
        # Not everything with such a name is a file, and opening a pipe would wait forever.
        yield from filter(is_regular, sorted(projects.glob(f"*/{session}{_ENDING}")))


def is_session_file(name: str) -> bool:
    """Returns whether a file has the name of a session's own transcript."""
    return name.endswith(_ENDING) and SESSION_ID.fullmatch(name[: -len(_ENDING)]) is not None


def _is_agent_file(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(_ENDING)


def workflow_of(path: str) -> str | None:
    """Returns the workflow that a sub-agent's transcript belongs to, by its folder."""
    # A history has thousands of them: this takes a tenth of the time of `Path`.
    above, _, folder = path.rpartition("/")[0].rpartition("/")
    return folder if above.endswith("/workflows") else None


def stem_of(path: str) -> str:
    """Returns the name of a transcript without its ending: a session's or an agent's id is in
    it.
    """
    return path.rpartition("/")[2].removesuffix(_ENDING)


def meta_path(transcript: str) -> str:
    """Returns where the facts of a sub-agent are."""
    return transcript.removesuffix(_ENDING) + _META_ENDING


class File(Struct, frozen=True, order=True, array_like=True, gc=False):
    """A file: where, how long, and when it was last written and last changed in any way
    (nanoseconds).
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int


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
        return stem_of(self.main.path)


class Scan:
    """All session files, as they are now. A folder that may not be read is named in `problems` and
    left out.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self.mains: list[File] = []
        self.sessions: list[FoundSession] = []  # newest first
        self.beside: list[File] = []  # 2.0: `agent-*.jsonl`, of whichever session
        self.problems: dict[str, str] = {}
        self._folders: set[str] = set()
        self._metas: dict[str, os.DirEntry[str]] = {}
        for projects in claude_projects(env):
            for folder in _entries(str(projects), self.problems):
                if _is_folder(folder):
                    self._project(folder.path)
        for main in self.mains:
            children = self._children(main)
            latest = max([main.mtime_ns, *(child.mtime_ns for child in children)])
            self.sessions.append(FoundSession(main, children, latest))
        self.sessions.sort(key=lambda found: found.mtime_ns, reverse=True)

    def meta(self, child: File) -> File | None:
        """Returns what stands beside a sub-agent's transcript, as it is now."""
        entry = self._metas.get(meta_path(child.path))
        return None if entry is None else _file(entry)

    def _project(self, folder: str) -> None:
        for entry in _entries(folder, self.problems):
            if entry.name.endswith(_ENDING):
                file = _file(entry)
                if file is None:
                    continue
                if is_session_file(entry.name):
                    self.mains.append(file)
                elif _is_agent_file(entry.name):
                    self.beside.append(file)
            elif len(entry.name) == 36:
                self._folders.add(entry.path)

    def _children(self, main: File) -> tuple[File, ...]:
        inner, children = main.path.removesuffix(_ENDING), list[File]()
        if inner in self._folders:
            for entry in _below(f"{inner}/subagents", self.problems):
                if entry.name.endswith(_META_ENDING):
                    self._metas[entry.path] = entry
                elif (file := _file(entry)) is not None:
                    children.append(file)
        return tuple(children)


def child_files(main: Path) -> list[File]:
    """Returns the transcripts of a session's sub-agents in the layout of 2.1, oldest first."""
    entries = _below(str(main.with_suffix("") / "subagents"))
    files = [_file(entry) for entry in entries if entry.name.endswith(_ENDING)]
    return sorted(filter(None, files), key=lambda file: (file.ctime_ns, file.path))


def files_beside(main: Path) -> list[str]:
    """Returns the transcripts of sub-agents beside a session's own (2.0), of whichever session."""
    entries = _entries(str(main.parent))
    return sorted(each.path for each in entries if _is_agent_file(each.name) and _file(each))


class ChangedFolders:
    """Notices whether there may be other files than before in a folder, or in those below it down
    to a `depth`. A folder of thousands of sessions is not listed for every line.
    """

    def __init__(self, top: Path, *, depth: int = 0) -> None:
        self._top, self._depth = top, depth
        self._times: dict[Path, int | None] = {self._top: None}

    def changed(self) -> bool:
        """Returns whether the time of any of the folders has changed since the last call. A time
        that is too new is not kept: it could stand for two changes.
        """
        now, changed = time.time_ns(), False
        for path, known in self._times.items():
            try:
                status = path.stat()
                at = max(status.st_mtime_ns, status.st_ctime_ns)
            except FileNotFoundError:
                at = 0
            except OSError:
                changed = True
                continue
            changed = changed or at != known
            # Some file systems keep full seconds only.
            tick_seconds = FILE_DATE_TICK_SECONDS if at % 10**9 else FILE_DATE_SECONDS
            self._times[path] = at if now - at > tick_seconds * 1e9 else None
        if changed and self._depth:
            for below in _folders_below(str(self._top), self._depth):
                # Its time is read by the next call, which returns True: what is added to it until
                # then is not missed.
                self._times.setdefault(Path(below), None)
        return changed

    def again(self) -> None:
        """Forgets the time: the next `changed` returns True."""
        self._times[self._top] = None


def main_of(
    path: Path, projects: Iterable[Path], owner_of: Callable[[str], str | None]
) -> Path | None:
    """Returns the session's own transcript that a file below Claude Code's folders belongs to."""
    for folder in projects:
        if not path.is_relative_to(folder):
            continue
        project, *inner = path.relative_to(folder).parts
        main = path
        if len(inner) > 1:
            main = folder / project / f"{inner[0]}{_ENDING}"
        elif _is_agent_file(path.name):
            owner = owner_of(str(path))
            return folder / project / f"{owner}{_ENDING}" if owner else None
        return main if is_session_file(main.name) else None
    return None


def _below(
    folder: str, problems: dict[str, str] | None = None, depth: int = MAX_DEPTH
) -> Iterator[os.DirEntry[str]]:
    """Yields the transcripts and facts below a folder, at any place where they may be."""
    for entry in _entries(folder, problems):
        if entry.name.endswith((_ENDING, _META_ENDING)):
            yield entry
        elif depth and "." not in entry.name and _is_folder(entry):
            yield from _below(entry.path, problems, depth - 1)


def _folders_below(folder: str, depth: int) -> Iterator[str]:
    for entry in _entries(folder):
        if depth and "." not in entry.name and _is_folder(entry):
            yield entry.path
            yield from _folders_below(entry.path, depth - 1)


def _entries(folder: str, problems: dict[str, str] | None = None) -> list[os.DirEntry[str]]:
    # Not by `Path`: asked at every look, and a folder may have thousands.
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        if problems is not None:
            problems[folder] = error.strerror or str(error)
        return []


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
    return File(entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
