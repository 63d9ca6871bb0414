"""Stored sessions for kinds that keep one file of JSON lines per session, named by its id.

Such a kind needs no more than a dialect and a folder:

    def sessions(self, env):
        return JsonlSessions(self.name, Path(env["HOME"]) / ".toy" / "sessions")
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.file_sources import FollowedFiles, recorded_files
from unbraid.agents.session_port import SessionFacts, SessionStore, SessionWatch, StoredBlock
from unbraid.agents.session_search import may_hold, stored_block
from unbraid.agents.source import Recorded, Source
from unbraid.system.files import chunks, is_regular, modified_ms
from unbraid.system.folders import folder_changes
from unbraid.timings import RECENT_SESSION_SECONDS
from unbraid.translate.tracks import RunTracks, Track
from unbraid.wire.chunk import Chunk
from unbraid.wire.names import names_run

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
        redact: Callable[[str], str] | None = None,
        warn: Callable[[str], None] = lambda text: None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Iterator[SessionFacts]:
        """Yields what the file system knows of them: nothing is read."""
        for session, path in self._newest_first():
            at = modified_ms(path)
            if at >= since_ms:
                yield SessionFacts(session, started=at, updated=at, answered=True)

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what was said in files that hold the needle."""
        for session, path in self._newest_first():
            if session not in known and _holds(path, needle):
                yield from _blocks(session, path)

    def run(self, session_id: str) -> RunTracks | None:
        """Returns the file, as one track."""
        path = self._path(session_id)
        if path is None:
            return None
        track = Track(str(path), lambda: chunks(path), False, session=session_id)
        return RunTracks(self._kind, session_id, [track])

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
    """The `SessionWatch` of a folder. Nothing is known of processes: runs end by silence."""

    def __init__(
        self, store: JsonlSessions, folder: Path, *, warn: Callable[[str], None], inotify: bool
    ) -> None:
        self._store, self._folder = store, folder
        self._warn, self._inotify = warn, inotify
        self._files: dict[str, Path] = {}
        self._changed_ms: dict[str, int] = {}

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the sessions whose files have changed."""
        await asyncio.to_thread(self.look)
        since = (time.time() - RECENT_SESSION_SECONDS) * 1000
        yield {session for session, at in self._changed_ms.items() if at >= since}
        found = folder_changes(self._folders, inotify=self._inotify, warn=self._warn)
        async with aclosing(found):
            async for _, paths, everywhere in found:
                changed = await asyncio.to_thread(self.look) if everywhere else set()
                for path in paths:
                    if (session := self._store.session_of(path)) is not None:
                        self._files.setdefault(session, path)
                        changed.add(session)
                yield changed

    def look(self) -> set[str]:
        """Compares all files with the look before. Returns the sessions that have changed."""
        before, self._files = self._changed_ms, self._store.files()
        self._changed_ms = {session: modified_ms(path) for session, path in self._files.items()}
        return {name for name, at in self._changed_ms.items() if before.get(name) != at}

    def has(self, session_id: str) -> bool:
        """Returns whether its file is there."""
        path = self._files.get(session_id)
        return path is not None and is_regular(path)

    def follow(self, session_id: str, recorded: Recorded) -> JsonlFollower | None:
        """Returns a follower that reads the file from where the log stands."""
        path = self._files.get(session_id)
        return None if path is None else JsonlFollower(path, recorded)

    def _folders(self) -> list[Path]:
        return [self._folder] if self._folder.is_dir() else []


def _blocks(session: str, path: Path) -> Iterator[StoredBlock]:
    # Here, because the translator asks the registry for all kinds.
    from unbraid.translate.translator import Translator

    translator = Translator()
    for data in chunks(path):
        for event in translator.feed(data, path.name):
            block = stored_block(event, session_id=session, agent_id=event.context or None)
            if block is not None:
                yield block


def _holds(path: Path, needle: str) -> bool:
    try:
        return may_hold(chunks(path), needle)
    except OSError:
        return False
