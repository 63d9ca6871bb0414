"""Where OpenCode, or a program made from it, keeps its sessions on this machine: in its database,
and in the folder of files before 1.2.

Most commands need one part of this: each is imported when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from unbraid.agents.opencode.editions import OPENCODE, UNFORKED, Edition, Editions
from unbraid.agents.port import (
    Recorded,
    SessionState,
    SessionStore,
    StoredBlock,
    StoredSession,
    WatchOptions,
)
from unbraid.errors import SourceError

if TYPE_CHECKING:
    from unbraid.agents.opencode.follower import RowFollower
    from unbraid.agents.opencode.watch import DatabaseWatch
    from unbraid.read.tracks import RunTracks

SESSION_ID = re.compile(r"ses_[0-9A-Za-z]+")


class Installation(Struct, frozen=True):
    """One of the programs as it is installed here. `editions` are those whose lines and rows may
    look like its own.
    """

    env: Mapping[str, str]
    edition: Edition = OPENCODE
    editions: Editions = UNFORKED

    @property
    def database(self) -> Path | None:
        """Its database, if there is one now."""
        given = self.env.get(self.edition.variable("DB"))
        path = Path(given) if given else self._data_folder / f"{self.edition.name}.db"
        return path.resolve() if path.is_file() else None

    @property
    def stores(self) -> list[Path]:
        """All places where it keeps sessions: its database, and the folder of files before 1.2. A
        session of both is the database's.
        """
        database, storage = self.database, (self._data_folder / "storage").resolve()
        found = [database] if database is not None else []
        return [*found, storage] if is_storage(storage) else found

    @property
    def _data_folder(self) -> Path:
        home = Path(self.env.get("HOME") or Path.home())
        given = self.env.get("XDG_DATA_HOME")
        return Path(given or home / ".local" / "share") / self.edition.name


def is_storage(path: Path) -> bool:
    """Returns whether a folder is one of those of files."""
    return (path / "session").is_dir() and (path / "message").is_dir()


class OpenCodeSessions(SessionStore):
    """OpenCode's `SessionStore`."""

    def __init__(self, here: Installation) -> None:
        self._here = here

    def is_session_id(self, name: str) -> bool:
        return SESSION_ID.fullmatch(name) is not None

    def matching(self, prefix: str) -> Iterator[str]:
        for store in self._here.stores:
            from unbraid.agents.opencode.database import session_folders

            with suppress(SourceError):  # opening it will report the error
                yield from (each for each in session_folders(store) if each.startswith(prefix))

    def root(self, session_id: str) -> str | None:
        _, run = self._find(session_id)
        return None if run is None else run.session

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> list[StoredSession]:
        """Returns root sessions; one that several stores have, of the first of them."""
        found: dict[str, StoredSession] = {}
        for store in self._here.stores:
            from unbraid.agents.opencode.database import stored_sessions

            try:
                for session in stored_sessions(store, self._here.editions):
                    if session.changed_ms >= since_ms:
                        found.setdefault(session.session_id, session)
            except SourceError as error:
                warn(str(error))
        return sorted(found.values(), key=lambda session: session.changed_ms, reverse=True)

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        for store in self._here.stores:
            from unbraid.agents.opencode.database import database_blocks

            yield from database_blocks(store, needle, known, editions=self._here.editions)

    def run(self, session_id: str) -> RunTracks | None:
        return self._find(session_id)[1]

    def updated(self, session_id: str) -> int:
        store, run = self._find(session_id)
        # A folder of files is of before 1.2, and would have to be read whole to know this.
        if store is not None and run is not None and store.is_file():
            from unbraid.agents.opencode.database import last_change

            with suppress(SourceError):
                return last_change(store, run.session or session_id)
        return 0

    def follow(self, session_id: str, recorded: Recorded) -> RowFollower | None:
        store, run = self._find(session_id)
        if store is None or run is None:
            return None
        from unbraid.agents.opencode.follower import RowFollower

        return RowFollower(run.session or session_id, recorded, store)

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns what is certain: if no process has a database open, none has its sessions."""
        from unbraid.agents.opencode.writers import is_unattended

        stored = {name: self._find(name)[0] for name in among}
        gone = {
            store
            for store in set(stored.values())
            if store is not None and store.is_file() and is_unattended(store)
        }
        return {name: SessionState(alive=False) for name in among if stored[name] in gone}

    def watch(self, options: WatchOptions) -> DatabaseWatch:
        """Returns a watch of its database, which needs no inotify, and of its servers."""
        from unbraid.agents.opencode.watch import DatabaseWatch

        return DatabaseWatch(self._here, options)

    def _find(self, session_id: str) -> tuple[Path | None, RunTracks | None]:
        if self.is_session_id(session_id):
            for store in self._here.stores:
                from unbraid.agents.opencode.database import database_runs

                if runs := database_runs(store, session_id, self._here.editions):
                    return store, runs[0]
        return None, None
