"""What a process says, read from where its kind stores it: for programs that write every word into
their session at once.

Such a kind's stdout is only passed on. What is recorded has the offsets of the stored session, so
that a later follower of the session continues where the process has ended.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.agents.port import SessionStore
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk


class SessionSource(Source):
    """The source of a process that writes the session of a known id."""

    def __init__(self, store: SessionStore, session_id: str) -> None:
        self._store, self._session_id = store, session_id
        self._recorded: Recorded | None = None
        self._stored: Source | None = None

    @property
    def session_id(self) -> str:
        """The session of that id."""
        return self._session_id

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._recorded = recorded

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in the session, as soon as there is one."""
        if self._stored is None and self._recorded is not None:
            self._stored = self._store.follow(self.session_id, self._recorded)
        if self._stored is not None:
            if self.has_ended:
                self._stored.end()
            yield from self._stored.read(at_once=at_once or self.has_ended)
