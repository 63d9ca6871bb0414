"""Files of kinds that have no layout of their own: lines that a dialect can decode, and stored
sessions of one file of JSON lines each, named by its id.

Such a kind needs no more than a dialect and a folder:

    def sessions(self, env):
        return JsonlSessions(self.name, Path(env["HOME"]) / ".toy" / "sessions")
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from functools import partial
from pathlib import Path

from unbraid.agents.file_sources import FollowedFiles, recorded_files
from unbraid.agents.port import AgentKind
from unbraid.agents.session_port import (
    FileFormats,
    SessionStore,
    SessionWatch,
    SourceForm,
    StoredBlock,
    StoredSession,
    files_version,
    translate_run,
)
from unbraid.agents.session_search import files_that_may_hold, stored_block
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk
from unbraid.read.names import names_run
from unbraid.read.record import BAD_JSON
from unbraid.read.tracks import RunTracks, Track
from unbraid.system.files import chunks, is_regular, modified_ms
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS

# Its only file, as a source of a run.
_FILE = "file"


class JsonlSessions(SessionStore):
    """The sessions in files below a folder, at any depth, whose names end in `suffix`."""

    def __init__(self, kind: str, folder: Path, suffix: str = ".jsonl") -> None:
        self._kind, self._folder, self._suffix = kind, folder.resolve(), suffix

    def is_session_id(self, name: str) -> bool:
        """Returns whether there is a session of that name: ids may have any form."""
        return self._path(name) is not None

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of files that begin like this."""
        return (session for session in self.files() if session.startswith(prefix))

    def root(self, session_id: str) -> str | None:
        """Returns the session itself: every session is a run."""
        return session_id if self.is_session_id(session_id) else None

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> list[StoredSession]:
        """Returns one session per file, newest first."""
        found: list[StoredSession] = []
        for session, path in self._newest_first():
            at = modified_ms(path)
            if at >= since_ms:
                size = path.stat().st_size
                translate = partial(translate_run, self._tracks(session, path))
                version = files_version([(size, at)])
                found.append(StoredSession(session, at, version, translate, size=size))
        return found

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what was said in files that hold the needle."""
        sessions = {str(path): session for session, path in self._newest_first()}
        new = [path for path, session in sessions.items() if session not in known]
        for path in files_that_may_hold({path: _size(Path(path)) for path in new}, needle):
            yield from _blocks(sessions[path], Path(path))

    def run(self, session_id: str) -> RunTracks | None:
        """Returns the file, as one track."""
        path = self._path(session_id)
        return None if path is None else self._tracks(session_id, path)

    def updated(self, session_id: str) -> int:
        """Returns when the file was last written."""
        path = self._path(session_id)
        return 0 if path is None else modified_ms(path)

    def follow(self, session_id: str, recorded: Recorded) -> JsonlFollower | None:
        """Returns a follower that reads the file from where the log stands."""
        path = self._path(session_id)
        return None if path is None else JsonlFollower(path, recorded)

    def watch(
        self,
        *,
        warn: Callable[[str], None] = lambda text: None,
        only: str | None = None,
        inotify: bool = True,
        servers: Sequence[str] = (),
    ) -> JsonlWatch:
        """Returns a watch of the folder."""
        return JsonlWatch(self, self._folder, warn=warn, inotify=inotify)

    def session_of(self, path: Path) -> str | None:
        """Returns the session whose file this is, if it is one."""
        session = path.name.removesuffix(self._suffix)
        return session if session != path.name and names_run(session) else None

    def _tracks(self, session_id: str, path: Path) -> RunTracks:
        track = Track(str(path), lambda: chunks(path), False, session=session_id)
        return RunTracks(self._kind, session_id, [track])

    def _path(self, session_id: str) -> Path | None:
        return self.files().get(session_id) if names_run(session_id) else None

    def files(self) -> dict[str, Path]:
        """Returns the file of every session."""
        found: dict[str, Path] = {}
        for path in sorted(self._folder.rglob(f"*{self._suffix}")):
            session = self.session_of(path)
            # Not everything with such a name is a file, and opening a pipe would wait forever.
            if session is not None and is_regular(path):
                found.setdefault(session, path)
        return found

    def _newest_first(self) -> list[tuple[str, Path]]:
        return sorted(self.files().items(), key=lambda each: modified_ms(each[1]), reverse=True)


class JsonlFollower(Source):
    """One file as it grows."""

    def __init__(self, path: Path, recorded: Recorded) -> None:
        self._files = FollowedFiles(recorded_files(recorded))
        self._files.add(_FILE, path)

    @property
    def problems(self) -> Mapping[str, str]:
        """Why the file could not be read, if it could not."""
        tails = self._files.tails.values()
        return {str(tail.path): tail.problem for tail in tails if tail.problem}

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields its new whole lines; at the end, also half a line."""
        yield from self._files.read(_FILE)
        for _, rest in self._files.rest() if self.has_ended else ():
            yield rest

    def silent_seconds(self) -> float:
        """Returns for how long it has not been written."""
        return self._files.silent_seconds()


class JsonlWatch(SessionWatch):
    """A folder of such files, watched. Nothing is known of processes: runs end by silence."""

    def __init__(
        self, store: JsonlSessions, folder: Path, *, warn: Callable[[str], None], inotify: bool
    ) -> None:
        self._files = ChangedFiles(
            lambda: [folder] if folder.is_dir() else [],
            store.files,
            store.session_of,
            warn=warn,
            inotify=inotify,
        )

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the sessions whose files have changed."""
        async with aclosing(self._files.changes()) as changes:
            async for changed in changes:
                yield changed

    def look(self) -> set[str]:
        """Compares all files with the look before. Returns the sessions that have changed."""
        return self._files.look()

    def has(self, session_id: str) -> bool:
        """Returns whether its file is there."""
        return self._files.has(session_id)

    def follow(self, session_id: str, recorded: Recorded) -> JsonlFollower | None:
        """Returns a source that reads the file from where the log stands."""
        path = self._files.paths.get(session_id)
        return None if path is None else JsonlFollower(path, recorded)


class ChangedFiles:
    """The files of a kind below some folders, by name, and which of them have changed. `find`
    returns all of them; `name_of` the name of one, None if it is none of them.
    """

    def __init__(
        self,
        folders: Callable[[], list[Path]],
        find: Callable[[], dict[str, Path]],
        name_of: Callable[[Path], str | None],
        *,
        warn: Callable[[str], None],
        inotify: bool,
    ) -> None:
        self.paths: dict[str, Path] = {}
        self._folders, self._find, self._name_of = folders, find, name_of
        self._warn, self._inotify = warn, inotify
        self._stamps: dict[str, int] = {}
        self._has_looked = False
        # Looks run in threads, which continue after the task that awaits them was cancelled.
        self._looking = threading.Lock()

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the names of files that have changed; at first, of those that did so lately."""
        await asyncio.to_thread(self.look)
        since = time.time_ns() - int(RECENT_SESSION_SECONDS * 1e9)
        yield {name for name, at in self._stamps.items() if at >= since}
        found = folder_changes(self._folders, inotify=self._inotify, warn=self._warn)
        async with aclosing(found):
            async for _, paths, everywhere in found:
                changed = await asyncio.to_thread(self.look) if everywhere else set()
                yield changed | await asyncio.to_thread(self._noted, paths)

    def look(self) -> set[str]:
        """Compares all files with the look before. Returns the names of those that have changed;
        the first look finds only what is old. Blocks.
        """
        with self._looking:
            before, self.paths = self._stamps, self._find()
            self._stamps = {name: _mtime_ns(path) for name, path in self.paths.items()}
            has_looked, self._has_looked = self._has_looked, True
            changed = {name for name, at in self._stamps.items() if before.get(name) != at}
            return changed if has_looked else set()

    def has(self, name: str) -> bool:
        """Returns whether there is a file of that name. Blocks."""
        path = self.paths.get(name)
        return path is not None and is_regular(path)

    def _noted(self, paths: Iterable[Path]) -> set[str]:
        changed = set()
        with self._looking:
            for path in paths:
                # Not everything with such a name is a file.
                if (name := self._name_of(path)) is None or not is_regular(path):
                    continue
                if not self.has(name):
                    self.paths[name] = path
                self._stamps[name] = _mtime_ns(self.paths[name])
                changed.add(name)
        return changed


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _blocks(session: str, path: Path) -> Iterator[StoredBlock]:
    # Here, because the translator asks the registry for all kinds.
    from unbraid.read.translator import Translator

    translator = Translator()
    for data in chunks(path):
        for event in translator.feed(data, path.name):
            block = stored_block(event, session_id=session, agent_id=event.context or None)
            if block is not None:
                yield block


class DialectFiles(FileFormats):
    """The files of a kind that has only a dialect: lines that the dialect can decode."""

    def __init__(self, kind: AgentKind) -> None:
        self._kind = kind

    def form(self, line: bytes) -> SourceForm | None:
        """Returns a form if the dialect can decode the line."""
        try:
            return None if self._kind.dialect().decode(line) is None else "stream"
        except BAD_JSON:
            return None

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns one run: one source is one run."""
        return [RunTracks(self._kind.name, None, [Track(name, read, False)])]
