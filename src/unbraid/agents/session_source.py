"""What a process says, read from where its kind stores it: for programs that write every word into
their session at once.

Such a kind's stdout is only passed on. What is recorded has the offsets of the stored session, so
that a later follower of the session continues where the process has ended.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.agents.port import Follower, Recorded, SessionStore
from unbraid.wire.chunk import Chunk


class SessionSource:
    """The `ProcessSource` of a process that writes the session of a known id."""

    def __init__(self, store: SessionStore, session_id: str) -> None:
        self._store, self.session_id = store, session_id
        self._recorded: Recorded | None = None
        self._follower: Follower | None = None
        self._ended = False

    def printed(self, data: bytes) -> None:
        """Does nothing: the session has it too."""

    def end(self) -> None:
        """Notes that the process is gone."""
        self._ended = True

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._recorded = recorded

    def read(self) -> Iterator[Chunk]:
        """Yields what is new in the session, as soon as there is one."""
        if self._follower is None and self._recorded is not None:
            self._follower = self._store.follow(self.session_id, self._recorded)
        if self._follower is not None:
            yield from self._follower.read(at_once=self._ended, last=self._ended)
