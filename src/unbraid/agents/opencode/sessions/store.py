"""OpenCode's sessions on this machine: its database, and the folder of files before 1.2.

Most commands need one part of this: each is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unbraid.agents.opencode.editions import OPENCODE, UNFORKED, Edition, Editions
from unbraid.agents.opencode.places import SESSION_ID, opencode_stores
from unbraid.agents.session_port import (
    Recorded,
    SessionState,
    SessionStore,
    StoredBlock,
    StoredSession,
)
from unbraid.errors import SourceError

if TYPE_CHECKING:
    from unbraid.agents.opencode.sessions.follower import RowFollower
    from unbraid.agents.opencode.sessions.watch import DatabaseWatch
    from unbraid.read.tracks import RunTracks


class OpenCodeSessions(SessionStore):
    """OpenCode's `SessionStore`."""

    def __init__(
        self,
        env: Mapping[str, str],
        edition: Edition = OPENCODE,
        editions: Editions = UNFORKED,
    ) -> None:
        self._env, self._edition, self._editions = env, edition, editions

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id begins as OpenCode's do."""
        return SESSION_ID.fullmatch(name) is not None

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of sessions that begin like this, children's too."""
        import sqlite3

        from unbraid.agents.opencode.sessions.database import connect

        for store in opencode_stores(self._env, self._edition):
            try:
                with closing(connect(store, parts=False)) as database:
                    ids = [str(row[0]) for row in database.execute("SELECT id FROM session")]
            except (sqlite3.Error, SourceError):
                continue  # opening it will report the error
            yield from (each for each in ids if each.startswith(prefix))

    def root(self, session_id: str) -> str | None:
        """Returns the session at the top of its tree."""
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
        stores = opencode_stores(self._env, self._edition)
        if not stores:
            return []
        from unbraid.agents.opencode.sessions.index import stored_sessions

        found: dict[str, StoredSession] = {}
        for store in stores:
            try:
                for session in stored_sessions(store, self._editions):
                    if session.changed_ms >= since_ms:
                        found.setdefault(session.session_id, session)
            except SourceError as error:
                warn(str(error))
        return sorted(found.values(), key=lambda session: session.changed_ms, reverse=True)

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what the rows hold."""
        from unbraid.agents.opencode.sessions.search import database_blocks

        for store in opencode_stores(self._env, self._edition):
            yield from database_blocks(store, needle, known, editions=self._editions)

    def run(self, session_id: str) -> RunTracks | None:
        """Returns the rows of the root session that this one belongs to, and of its children."""
        return self._find(session_id)[1]

    def updated(self, session_id: str) -> int:
        """Returns when the session or one of its children last changed."""
        store, run = self._find(session_id)
        # A folder of files is of before 1.2, and would have to be read whole to know this.
        if store is not None and run is not None and store.is_file():
            from unbraid.agents.opencode.sessions.database import last_change

            with suppress(SourceError):
                return last_change(store, run.session or session_id)
        return 0

    def follow(self, session_id: str, recorded: Recorded) -> RowFollower | None:
        """Returns a follower that reads its rows from where the log stands."""
        from unbraid.agents.opencode.sessions.changes import Database
        from unbraid.agents.opencode.sessions.follower import RowFollower

        store, run = self._find(session_id)
        if store is None or run is None:
            return None
        return RowFollower(run.session or session_id, recorded, Database(store))

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns what is certain: if no process has a database open, none has its sessions."""
        from unbraid.agents.opencode.sessions.writers import is_unattended

        stored = {name: self._find(name)[0] for name in among}
        gone = {
            store
            for store in set(stored.values())
            if store is not None and store.is_file() and is_unattended(store)
        }
        return {name: SessionState(alive=False) for name in among if stored[name] in gone}

    def watch(
        self,
        *,
        warn: Callable[[str], None] = lambda text: None,
        only: str | None = None,
        inotify: bool = True,
        servers: Sequence[str] = (),
    ) -> DatabaseWatch:
        """Returns a watch of its database, which needs no inotify, and of its servers."""
        from unbraid.agents.opencode.sessions.server import OpenCodeServer
        from unbraid.agents.opencode.sessions.watch import DatabaseWatch

        reported = [
            OpenCodeServer(url, self._env, edition=self._edition, editions=self._editions)
            for url in servers
        ]
        return DatabaseWatch(self._env, reported, warn=warn, edition=self._edition)

    def _find(self, session_id: str) -> tuple[Path | None, RunTracks | None]:
        if self.is_session_id(session_id):
            from unbraid.agents.opencode.sessions.database import database_runs

            for store in opencode_stores(self._env, self._edition):
                if runs := database_runs(store, session_id, self._editions):
                    return store, runs[0]
        return None, None
