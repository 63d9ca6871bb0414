"""One of OpenCode's root sessions with its children, read from where the log stands.

It begins with all of its rows that the log may not have yet; what is known already yields nothing
new. From then on it is given what others find: rows that have changed, and a server's events.

Files are known by their bytes, rows by their time: the log keeps from when on and how far they are
recorded, as offsets of sources that have no bytes.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from unbraid.agents.opencode.sessions.changes import Database
from unbraid.agents.opencode.sessions.database import last_change
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.system.clock import now_ms
from unbraid.timings import TEXT_BEFORE_CALL_TIMEOUT_SECONDS

# ROWS: up to when rows are recorded. ROWS_FROM: since when, in a run that `unbraid run` began
# (written by `OpenCodeSource.begin`, read by `rows_since`).
ROWS, ROWS_FROM = "rows", "rows.from"
DATABASE, SERVER = "database", "server"


class ChangedRows(NamedTuple):
    """Rows that have changed, as lines, and the time of the last of them."""

    lines: list[bytes]
    upto: int


class RowFollower(Source):
    """A session by its rows as they change; of one that only a server has, without a database.

    What it is given may come from any thread.
    """

    def __init__(self, root: str, recorded: Recorded, database: Database | None) -> None:
        self._root, self._recorded, self._database = root, recorded, database
        self._opened, opened_ms = time.monotonic(), now_ms()
        self._stored = ChunkedSource(f"{DATABASE}.{opened_ms}")
        self._reported = ChunkedSource(f"{SERVER}.{opened_ms}")
        self._rows: deque[ChangedRows] = deque()
        self._events: deque[bytes] = deque()
        self._beginning = threading.Lock()
        # A server also reports what is no word of anyone's. Where rows are kept, a run begins with
        # them.
        self._awaits_rows = database is not None and recorded.is_new
        self._is_unread = database is not None

    @property
    def unsettled(self) -> bool:
        """Whether its rows have not been read yet."""
        return self._is_unread

    def read_first(self, *, at_once: bool = False) -> bool:
        """Reads the session's rows from the beginning. Returns False while some of them wait for
        others; with `at_once`, they do not wait. Blocks.
        """
        with self._beginning:
            if not self._is_unread or self._database is None:
                return True
            late = time.monotonic() - self._opened >= TEXT_BEFORE_CALL_TIMEOUT_SECONDS
            # Anew at every try: there may be more children by now.
            rows = self._database.part(self._root, rows_since(self._recorded) or 0)
            lines = rows.changed(last=at_once or late)
            if rows.waiting:
                return False
            # What was given before this was read is in it.
            self._rows.clear()
            self._rows.append(ChangedRows(lines.get(self._root, []), rows.upto.get(self._root, 0)))
            self._is_unread = False
            return True

    def give_rows(self, rows: ChangedRows) -> None:
        """Takes rows that have changed."""
        self._rows.append(rows)

    def give_events(self, lines: list[bytes], *, whole: bool) -> None:
        """Takes a server's events, or its `whole` session from the very beginning."""
        if whole and self._database is not None and self._recorded.earlier_ms:
            return  # runs before this one have its beginning
        self._events.extend(lines)

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what it was given since the last time."""
        at_once = at_once or self.has_ended
        if self.unsettled and not (at_once and self.read_first(at_once=True)):
            return
        while self._rows:
            rows = self._rows.popleft()
            if rows.lines:
                self._awaits_rows = False
                yield Chunk(ROWS, rows.upto, b"")
                yield self._stored.chunk(b"".join(rows.lines))
        events: list[bytes] = []
        while self._events:
            events.append(self._events.popleft())
        if self._awaits_rows:
            self._events.extendleft(reversed(asked_of_person(events)))
        elif events:
            # Apart, because the database may have a text whole while its end is on the way in bits.
            yield self._reported.chunk(b"".join(events))

    def silent_seconds(self) -> float:
        """Returns for how long none of its rows has changed."""
        if self._database is None:
            return 0.0
        return (now_ms() - last_change(self._database.path, self._root)) / 1000


def asked_of_person(events: list[bytes]) -> list[bytes]:
    """Returns those of a server's events that no row will have: what a person is asked."""
    return [line for line in events if b'"permission.' in line]


def rows_since(recorded: Recorded) -> int | None:
    """Returns from when on (milliseconds since 1970) the rows of a session are new to its run; None
    if nothing of the session is in the log.
    """
    if recorded.earlier_ms:
        return (recorded.earlier.get(ROWS) or recorded.earlier_ms) + 1
    # What it has recorded since its beginning, the first run knows itself.
    return None if recorded.is_new else recorded.offsets.get(ROWS_FROM, 0)
