"""OpenCode's database, followed: the rows that have changed, as `/event` lines.

Every look is one read transaction, so it never sees a parent's end without its child's last words.
Rows are found by `time_updated`; several can share a millisecond with what was seen before, the
clock may be put back, and a process takes the time before it waits for its turn to write: so the
last seconds are read again, and what has not changed is left out.

A text is stored when it has ended, a call when it begins, and a model ends its texts only after the
calls that follow them. So a call waits, and with it all that its run does meanwhile, until the
texts before it are stored; but not for long, because after a kill they never are.

A row that changes long after its end (an old result is emptied to save room) is not
new: a reader that begins at a later time gets only what had not ended by then.

Files are known by their bytes, rows by their time: the log keeps from when on and how far they are
recorded, as offsets of sources that have no bytes.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Set
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unbraid.agents.opencode.database import (
    AMONG,
    MESSAGE_COLUMNS,
    PART_COLUMNS,
    connect,
    id_list,
    last_change,
    message_row,
    part_row,
    session_rows,
)
from unbraid.agents.opencode.records import SessionTree, began_at, ended_at, rows_as_lines
from unbraid.agents.source import Recorded, Source
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.system.clock import now_ms
from unbraid.timings import FILE_DATE_TICK_SECONDS

# OpenCode stores a text when it has ended, which may be seconds after the call that follows it. A
# call waits at most this long for the texts before it: after a kill they are never stored.
TEXT_BEFORE_CALL_TIMEOUT_SECONDS = 3.0
# From the end that a row names to its being stored.
ROW_STORING_MS = 2000
# Rows are found by when they changed: if the clock is put back by so much, none is lost.
ROW_CLOCK_STEP_MS = 2000

# ROWS: up to when rows are recorded. ROWS_FROM: since when, in a run that `unbraid run` began
# (written by `OpenCodeSource.begin`, read by `rows_since`).
ROWS, ROWS_FROM = "rows", "rows.from"
DATABASE, SERVER = "database", "server"
_MESSAGES = f"SELECT {MESSAGE_COLUMNS}, time_updated FROM message WHERE time_updated >= ?"
# A root session and its children, theirs too. `UNION` leaves out what is there already.
_OF_TREE = """WHERE id IN (WITH RECURSIVE tree(id) AS (SELECT ? UNION
    SELECT session.id FROM session JOIN tree ON session.parent_id = tree.id) SELECT id FROM tree)"""
_PARTS = f"SELECT {PART_COLUMNS}, time_updated FROM part WHERE time_updated >= ?"

Rows = dict[str, dict[str, Any]]


@dataclass
class ChangedRows:
    """Rows of one root session that have changed, by their ids, and the time of the last of them. A
    row that is found again replaces itself.
    """

    upto: int = 0
    sessions: Rows = field(default_factory=dict)
    messages: Rows = field(default_factory=dict)
    parts: Rows = field(default_factory=dict)

    @property
    def lines(self) -> list[bytes]:
        """These rows as `/event` lines."""
        return rows_as_lines(self.sessions.values(), self.messages.values(), self.parts.values())


class Database:
    """OpenCode's database and how much of it has been seen, from `since` (milliseconds) on; `only`
    one root session's, or everyone's.
    """

    def __init__(
        self,
        path: Path,
        since: int = 0,
        *,
        only: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self._tree = SessionTree()
        # The root sessions of which the last look has found something; None if it could not look.
        self.changed_roots: set[str] | None = None
        self._latest = self._first = since
        self._upto: dict[str, int] = {}  # root session: the time of the last row that was given out
        self._seen: dict[str, tuple[int, int]] = {}  # row: its time, and a hash of it
        self._stamp: tuple[tuple[int, int], ...] = ()
        self._clock, self._only = clock, only
        self._rows: dict[str, ChangedRows] = {}
        self._since: dict[str, float] = {}  # root session: when the first of its rows was found
        self._introduced: set[str] = set()  # sessions
        self._open_texts: dict[str, dict[str, None]] = {}  # by message: those not stored yet

    def changed(self, *, last: bool = False) -> dict[str, ChangedRows]:
        """Returns what is new, by root session; with `last`, also what waits."""
        self._look()
        now = self._clock()
        changed: dict[str, ChangedRows] = {}
        for root, rows in list(self._rows.items()):
            # The rows of a root session wait together, because they are put in order together, and
            # the text that a call waits for is found after it.
            waited = now - self._since.setdefault(root, now)
            if last or waited >= TEXT_BEFORE_CALL_TIMEOUT_SECONDS or not self._is_open(root):
                del self._rows[root], self._since[root]
                rows.upto = self._upto[root] = max(rows.upto, self._upto.get(root, 0))
                changed[root] = rows
        return changed

    def _is_open(self, root: str) -> bool:
        """Returns whether a text that precedes a call of a root session is not stored yet."""
        return any(
            text < part["id"]
            for part in self._rows[root].parts.values()
            if part.get("type") == "tool"
            for text in self._open_texts.get(part["messageID"], ())
        )

    @property
    def quiet(self) -> bool:
        """Whether a look would find nothing: two `stat`s say so."""
        return not self._rows and self._stamp == self._stamps()

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        return _stamp(str(self.path)), _stamp(f"{self.path}-wal")

    def _look(self) -> None:
        """Reads what has changed; nothing is read while the file is unchanged."""
        self.changed_roots = set()
        stamp = self._stamps()
        if stamp == self._stamp or not any(size for size, _ in stamp):
            return
        try:
            with closing(connect(self.path)) as db:
                db.execute("BEGIN")
                self._read(db)
        except SourceError:
            self.changed_roots = None
            raise
        except sqlite3.Error as error:
            self.changed_roots = None
            if "locked" in str(error) or "no such table" in str(error):
                return  # it is being made, or made over
            raise SourceError(str(self.path), str(error)) from None
        # The look from before the reading: what was written since must be looked at again. So must
        # what was written in the same tick of the file system's clock, which shows nowhere.
        is_settled = max(at for _, at in stamp) < time.time_ns() - FILE_DATE_TICK_SECONDS * 1e9
        self._stamp = stamp if is_settled else ()

    @property
    def waiting(self) -> Set[str]:
        """The root sessions of which something is known and not given out yet."""
        return self._rows.keys()

    def root(self, session: str) -> str:
        """Returns the session at the top of this one's tree."""
        return self._tree.root(session)

    def has(self, session: str) -> bool:
        """Returns whether a session was there at the last look."""
        return session in self._tree.parents

    def _read(self, db: sqlite3.Connection) -> None:
        latest = self._latest
        since = max(self._first, latest - ROW_CLOCK_STEP_MS)
        where, values = "", list[Any]([since])
        if self._only is None:
            sessions = session_rows(db)
        else:
            sessions = session_rows(db, _OF_TREE, [self._only])
            where = f" AND session_id {AMONG}"
            values.append(id_list([row["id"] for row, _ in sessions]))
        self._tree.parents.update((row["id"], row["parentID"]) for row, _ in sessions)
        for row, at in sessions:
            if at >= since and self._is_new("s" + row["id"], at, hash(row["agent"])):
                self._found(row["id"], at).sessions[row["id"]] = row
                latest = max(latest, at)
        for mid, sid, data, at in db.execute(_MESSAGES + where, values):
            latest = max(latest, at)
            if self._is_new(mid, at, hash(data)):
                row = message_row(mid, sid, data)
                if not self._was_over(row):
                    self._found(sid, at).messages[mid] = row
        for pid, mid, sid, created, data, at in db.execute(_PARTS + where, values):
            latest = max(latest, at)
            if self._is_new(pid, at, hash(data)):
                row = part_row(pid, mid, sid, created=created, data=data)
                if not self._was_over(row):
                    self._found(sid, at).parts[pid] = row
                    self._track_open_text(row)
        if self._only is not None and self._only in self._rows:
            self._introduce(self._rows[self._only], {row["id"]: row for row, _ in sessions})
        self._latest, kept = latest, latest - ROW_CLOCK_STEP_MS
        self._seen = {row: seen for row, seen in self._seen.items() if seen[0] >= kept}

    def _introduce(self, found: ChangedRows, sessions: Rows) -> None:
        """Adds the sessions whose rows these are, with those above them: a reader that begins at a
        later time does not know them, and a session that is continued need not have changed itself.
        For that reader, the session begins with what is new in it.
        """
        spoken = [*found.messages.values(), *found.parts.values()]
        begun = min(map(began_at, spoken), default=self._first)
        passed: set[str] = set()
        for session in {*found.sessions, *(row["sessionID"] for row in spoken)}:
            # Up to the top, whichever of them have changed by chance.
            while session in sessions and session not in passed:
                passed.add(session)
                row = sessions[session]
                if session in found.sessions or session not in self._introduced:
                    self._introduced.add(session)
                    found.sessions[session] = row
                    if row["time"]["created"] < self._first:
                        continued = {"time": {"created": begun}, "continued": True}
                        found.sessions[session] = row | continued
                session = row["parentID"]

    def _found(self, session: str, at: int) -> ChangedRows:
        root = self.root(session)
        if self.changed_roots is not None:
            self.changed_roots.add(root)
        rows = self._rows.setdefault(root, ChangedRows())
        rows.upto = max(rows.upto, at)
        return rows

    def _was_over(self, row: dict[str, Any]) -> bool:
        """Returns whether a message or a part had ended before the time from which on this
        reads.
        """
        ended = ended_at(row)
        return ended is not None and ended < self._first - ROW_STORING_MS

    def _track_open_text(self, part: dict[str, Any]) -> None:
        if part.get("type") not in ("text", "reasoning"):
            return
        times = part.get("time")
        if isinstance(times, dict) and "start" in times and "end" not in times:
            self._open_texts.setdefault(part["messageID"], {})[part["id"]] = None
        elif (waiting := self._open_texts.get(part["messageID"])) is not None:
            waiting.pop(part["id"], None)
            if not waiting:
                del self._open_texts[part["messageID"]]

    def _is_new(self, row: str, at: int, content: int) -> bool:
        if self._seen.get(row) == (at, content):
            return False
        self._seen[row] = (at, content)
        return True


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - ten times a second, all the time
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


class RowFollower(Source):
    """One root session with its children, read from where the log stands; of one that only a server
    has, without a database.

    It begins with all of its rows that the log may not have yet; what is known already yields
    nothing new. Rows are read again when they `may_have_changed`.
    """

    def __init__(
        self, root: str, recorded: Recorded, path: Path | None, *, since_ms: int = 0
    ) -> None:
        self._root, self._recorded = root, recorded
        known_ms = rows_since(recorded)
        self.since_ms = since_ms if known_ms is None else known_ms
        self._database = None if path is None else Database(path, self.since_ms, only=root)
        self.may_have_changed = True  # since its rows were last read
        opened_ms = now_ms()
        self._stored = ChunkedSource(f"{DATABASE}.{opened_ms}")
        self._reported = ChunkedSource(f"{SERVER}.{opened_ms}")
        self._events: deque[bytes] = deque()
        self._is_unread = path is not None
        # A server also reports what is no word of anyone's. Where rows are kept, a run begins with
        # them.
        self._awaits_rows = path is not None and recorded.is_new

    @property
    def unsettled(self) -> bool:
        """Whether some of its rows could not be read, or wait for others."""
        if self._database is None:
            return False
        return bool(self._database.waiting) or self._database.changed_roots is None

    def give_events(self, lines: list[bytes], *, whole: bool) -> None:
        """Adds a server's events, or its `whole` session from the very beginning. From any
        thread.
        """
        if whole and self._database is not None and self._recorded.earlier_ms:
            return  # runs before this one have its beginning
        self._events.extend(lines)

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields the rows that have changed, and the events that it was given."""
        at_once = at_once or self.has_ended
        if self._database is not None and (self.may_have_changed or self.unsettled or at_once):
            self.may_have_changed = False
            for rows in self._database.changed(last=at_once).values():
                self._awaits_rows = False
                yield Chunk(ROWS, rows.upto, b"")
                yield self._stored.chunk(b"".join(rows.lines))
            if self._is_unread and self.unsettled:
                return
            self._is_unread = False
        events: list[bytes] = []
        while self._events:
            events.append(self._events.popleft())
        if self._awaits_rows:
            self._events.extendleft(reversed(asked_of_person(events)))
        elif events:
            # Apart, because the database may have a text whole while its end is on the way in bits.
            yield self._reported.chunk(b"".join(events))

    def silent_seconds(self) -> float:
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
