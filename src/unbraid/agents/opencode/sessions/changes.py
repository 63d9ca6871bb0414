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
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Set
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unbraid.agents.opencode.records import began_at, ended_at, rows_as_lines
from unbraid.agents.opencode.sessions.database import (
    AMONG,
    BOUNDED_DATA,
    connect,
    id_list,
    message_row,
    part_row,
    session_rows,
)
from unbraid.agents.opencode.sessions.session_tree import SessionTree
from unbraid.errors import SourceError
from unbraid.read.sequencer import Closed, Sequencer, SourceItem
from unbraid.timings import FILE_DATE_TICK_SECONDS, TEXT_BEFORE_CALL_TIMEOUT_SECONDS

# From the end that a row names to its being stored.
ROW_STORING_MS = 2000
# Rows are found by when they changed: if the clock is put back by so much, none is lost.
ROW_CLOCK_STEP_MS = 2000

_MESSAGES = f"""SELECT id, session_id, {BOUNDED_DATA}, time_updated FROM message
    WHERE time_updated >= ?"""
_PARTS = f"""SELECT id, message_id, session_id, time_created, {BOUNDED_DATA}, time_updated FROM part
    WHERE time_updated >= ?"""

Rows = dict[str, dict[str, Any]]


@dataclass
class FoundRows:
    """Rows of one root session that are not given out yet, by their ids: a row that is found again
    replaces itself.
    """

    upto: int = 0
    sessions: Rows = field(default_factory=dict)
    messages: Rows = field(default_factory=dict)
    parts: Rows = field(default_factory=dict)


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
        self.about: dict[str, dict[str, Any]] = {}
        self.upto: dict[str, int] = {}  # root session: the time of the last row that was given out
        # The root sessions of which the last look has found something; None if it could not look.
        self.changed_roots: set[str] | None = None
        self._latest = self._first = since
        self._seen: dict[str, tuple[int, int]] = {}  # row: its time, and a hash of it
        self._stamp: tuple[tuple[int, int], ...] = ()
        self._clock, self._only = clock, only
        self._rows: dict[str, FoundRows] = {}
        self._roots = Sequencer[str](is_open=self._is_open)  # those that have rows
        self._open: dict[str, dict[str, None]] = {}  # message: its texts that are not stored yet

    def changed(self, *, last: bool = False) -> dict[str, list[bytes]]:
        """Returns new lines by root session; with `last`, also those that wait."""
        self._look()
        now = self._clock()
        for root in self._rows:
            if not self._roots.holds(root):
                self._roots.add(_declared(root), now)
        lines: dict[str, list[bytes]] = {}
        for root in self._roots.finish() if last else self._roots.take(now):
            rows = self._rows.pop(root)
            self.upto[root] = max(rows.upto, self.upto.get(root, 0))
            lines[root] = rows_as_lines(
                rows.sessions.values(), rows.messages.values(), rows.parts.values()
            )
        return lines

    def _is_open(self, root: str) -> bool:
        """Returns whether a text that precedes a call of a root session is not stored yet."""
        return any(
            text < part["id"]
            for part in self._rows[root].parts.values()
            if part.get("type") == "tool"
            for text in self._open.get(part["messageID"], ())
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

    def part(self, root: str, since: int) -> Database:
        """Returns one root session alone, from a time on, as if nothing of it had been
        given out.
        """
        return Database(self.path, since, only=root)

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
        sessions = session_rows(db)
        self._tree.parents.update((row["id"], row["parentID"]) for row, _ in sessions)
        where, values = "", list[Any]([since])
        if self._only is not None:
            sessions = [(row, at) for row, at in sessions if self.root(row["id"]) == self._only]
            mine = [row["id"] for row, _ in sessions]
            where = f" AND session_id {AMONG}"
            values.append(id_list(mine))
        for row, at in sessions:
            if at >= since and self._new("s" + row["id"], at, hash(row["agent"])):
                self._of(row["id"], at).sessions[row["id"]] = row
                self.about[row["id"]] = row
                latest = max(latest, at)
        for mid, sid, data, at in db.execute(_MESSAGES + where, values):
            latest = max(latest, at)
            if self._new(mid, at, hash(data)):
                row = message_row(mid, sid, data)
                if not self._was_over(row):
                    self._of(sid, at).messages[mid] = row
        for pid, mid, sid, created, data, at in db.execute(_PARTS + where, values):
            latest = max(latest, at)
            if self._new(pid, at, hash(data)):
                row = part_row(pid, mid, sid, created=created, data=data)
                if not self._was_over(row):
                    self._of(sid, at).parts[pid] = row
                    self._note(row)
        if self._only is not None and self._only in self._rows:
            self._introduce(self._rows[self._only], {row["id"]: row for row, _ in sessions})
        self._latest, kept = latest, latest - ROW_CLOCK_STEP_MS
        self._seen = {row: seen for row, seen in self._seen.items() if seen[0] >= kept}

    def _introduce(self, found: FoundRows, sessions: Rows) -> None:
        """Adds the sessions whose rows these are, with those above them: a reader that begins at a
        later time does not know them, and a session that is continued need not have changed itself.
        For that reader, the session begins with what is new in it.
        """
        spoken = [*found.messages.values(), *found.parts.values()]
        begun = min(map(began_at, spoken), default=self._first)
        known: set[str] = set()
        for session in {*found.sessions, *(row["sessionID"] for row in spoken)}:
            # Up to the top, whichever of them have changed by chance.
            while session in sessions and session not in known:
                known.add(session)
                row = found.sessions[session] = sessions[session]
                if row["time"]["created"] < self._first:
                    continued = {"time": {"created": begun}, "continued": True}
                    found.sessions[session] = row | continued
                session = row["parentID"]

    def _of(self, session: str, at: int) -> FoundRows:
        root = self.root(session)
        if self.changed_roots is not None:
            self.changed_roots.add(root)
        rows = self._rows.setdefault(root, FoundRows())
        rows.upto = max(rows.upto, at)
        return rows

    def _was_over(self, row: dict[str, Any]) -> bool:
        """Returns whether a message or a part had ended before the time from which on this
        reads.
        """
        ended = ended_at(row)
        return ended is not None and ended < self._first - ROW_STORING_MS

    def _note(self, part: dict[str, Any]) -> None:
        if part.get("type") not in ("text", "reasoning"):
            return
        times = part.get("time")
        if isinstance(times, dict) and "start" in times and "end" not in times:
            self._open.setdefault(part["messageID"], {})[part["id"]] = None
        elif (waiting := self._open.get(part["messageID"])) is not None:
            waiting.pop(part["id"], None)
            if not waiting:
                del self._open[part["messageID"]]

    def _new(self, row: str, at: int, content: int) -> bool:
        if self._seen.get(row) == (at, content):
            return False
        self._seen[row] = (at, content)
        return True


def _declared(root: str) -> SourceItem[str]:
    """Returns the rows of a root session as one item: they wait together, because they are put in
    order together, and the text that a call waits for is found after it.
    """
    return SourceItem(
        root,
        root,
        waits_for=(Closed(root),),
        max_wait_seconds=TEXT_BEFORE_CALL_TIMEOUT_SECONDS,
    )


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - ten times a second, all the time
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
