"""A reader's own copy of a journal: the SQLite log, folded from the records in their order.

Every copy applies the same records by the same rules, so all of them hold the same events under the
same cursors. Each batch is one transaction together with the place of its last record, so a copy is
always that of some moment of the journal, also after `kill -9`. Raw bytes are not copied: only who
continues a run needs them, and asks the journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from unbraid.events import decode_event
from unbraid.log.admission import Line
from unbraid.log.port import LogConflict, LogUnusable
from unbraid.log.replicated.journal import Stored
from unbraid.log.replicated.record import JournalRecord, decoded
from unbraid.log.sqlite.appender import Appender
from unbraid.log.sqlite.log import SqliteLog
from unbraid.log.sqlite.queries import offsets, spool_places
from unbraid.log.sqlite.retention import forget_run, replace_by_summary
from unbraid.log.summary import RunSummary

# A cursor is the place of a record, times this, and the place of the event in it: the same on every
# machine, and within the numbers that JavaScript counts exactly.
CURSOR_STEP = 65_536
MAX_EVENTS = CURSOR_STEP - 1
# So many of the last records are remembered, to notice a journal that has lost some of them.
REMEMBERED = 64

_TABLES = (
    """CREATE TABLE IF NOT EXISTS journal_place (
        one INTEGER PRIMARY KEY CHECK (one = 1), created TEXT NOT NULL, seq INTEGER NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS journal_recent (seq INTEGER PRIMARY KEY, id TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS journal_heads (
        run TEXT PRIMARY KEY, seq INTEGER NOT NULL, forgotten INTEGER NOT NULL) WITHOUT ROWID""",
)

_summary = msgspec.json.Decoder(RunSummary).decode


class CopyPlace(NamedTuple):
    """Which journal a copy is of, and the last record that it has."""

    created: str
    seq: int


class RunHead(NamedTuple):
    """What a writer has to know of a run, as the copy has it."""

    summary: RunSummary
    offsets: dict[str, int]
    places: set[tuple[str, int]]
    seq: int
    forgotten: bool


class DamagedCopy(LogUnusable):
    """The file of a copy is damaged. Nothing is lost by that: the journal has all of it."""

    def __init__(self, path: Path, detail: str) -> None:
        advice = "this is only a copy of the log: `unbraid doctor --repair` makes it anew"
        super().__init__(str(path), "corrupt", f"{detail}; {advice}")
        self.path = path


class JournalCopy:
    """The copy. Made by `JournalCopy.open`; `log` answers everything that readers ask."""

    def __init__(self, log: SqliteLog, path: Path, place: str) -> None:
        self.log, self.path = log, path
        self._place = place

    @classmethod
    async def open(cls, path: Path, place: str) -> JournalCopy:
        """Opens the copy in a file, or begins one there."""
        with _damage(path):
            log = await SqliteLog.open(path, durable=False)
            try:
                await log.transact(_create)
            except BaseException:
                await log.close()
                raise
        return cls(log, path, place)

    async def check(self) -> None:
        """Reads the whole file; raises DamagedCopy if it is damaged."""
        with _damage(self.path):
            problem = await self.log.ask(_first_problem)
        if problem != "ok":
            raise DamagedCopy(self.path, f"the file is damaged ({problem})")

    async def place(self) -> CopyPlace | None:
        """Returns how far the copy is; None if it has not begun."""
        return await self.log.ask(_place)

    async def recent(self) -> list[tuple[int, str]]:
        """Returns the last records, newest first."""
        return await self.log.ask(_recent)

    async def head(self, run: str) -> RunHead:
        """Returns where a run stands."""
        return await self.log.ask(partial(_head, run=run))

    async def has_runs(self) -> bool:
        """Returns whether there is a run that was not forgotten."""
        return await self.log.ask(_has_runs)

    async def begin(self, created: str) -> None:
        """Notes which journal this is a copy of."""
        await self.log.transact(partial(_begin, created=created))

    async def fold(self, batch: Sequence[Stored]) -> None:
        """Applies records, all of them or none."""
        with _damage(self.path):
            await self.log.transact(partial(_fold, batch=batch, decode=self._decode))

    def _decode(self, data: bytes) -> JournalRecord:
        return decoded(data, self._place)


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    try:
        yield
    except LogUnusable as error:
        # The journal has a place of its own, and may have a record that nobody can read.
        if error.reason == "corrupt" and error.place == str(path):
            raise DamagedCopy(path, error.detail) from error
        raise


def _first_problem(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])


def _create(connection: sqlite3.Connection, appender: Appender) -> None:
    for statement in _TABLES:
        connection.execute(statement)


def _place(connection: sqlite3.Connection) -> CopyPlace | None:
    row = connection.execute("SELECT created, seq FROM journal_place").fetchone()
    return None if row is None else CopyPlace(*row)


def _recent(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    return list(connection.execute("SELECT seq, id FROM journal_recent ORDER BY seq DESC"))


def _head(connection: sqlite3.Connection, run: str) -> RunHead:
    row = connection.execute("SELECT summary FROM runs WHERE run = ?", (run,)).fetchone()
    head = connection.execute(
        "SELECT seq, forgotten FROM journal_heads WHERE run = ?", (run,)
    ).fetchone()
    return RunHead(
        summary=RunSummary(run) if row is None else _summary(row[0]),
        offsets=offsets(connection, run),
        places=spool_places(connection, run),
        seq=0 if head is None else head[0],
        forgotten=head is not None and bool(head[1]),
    )


def _has_runs(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM journal_heads WHERE NOT forgotten LIMIT 1"
    return connection.execute(query).fetchone() is not None


def _begin(connection: sqlite3.Connection, appender: Appender, created: str) -> None:
    connection.execute("INSERT OR IGNORE INTO journal_place VALUES (1, ?, 0)", (created,))


def _fold(
    connection: sqlite3.Connection,
    appender: Appender,
    batch: Sequence[Stored],
    decode: Callable[[bytes], JournalRecord],
) -> None:
    current = _place(connection)
    # Another process may have folded some of it: the copy itself says how far it is.
    new = [stored for stored in batch if current is None or stored.seq > current.seq]
    if not new:
        return
    heads: dict[str, tuple[int, bool]] = {}
    # All of them first: one that cannot be read must not leave the others half applied.
    records = [decode(stored.record) for stored in new]
    lines = [_lines(record) for record in records]
    for stored, record, events in zip(new, records, lines, strict=True):
        _apply(connection, appender, stored, record, events)
        heads[stored.run] = (stored.seq, record.kind == "forget")
    connection.executemany(
        "INSERT OR REPLACE INTO journal_heads VALUES (?, ?, ?)",
        [(run, seq, forgotten) for run, (seq, forgotten) in heads.items()],
    )
    last = new[-1].seq
    connection.executemany(
        "INSERT OR REPLACE INTO journal_recent VALUES (?, ?)",
        [(stored.seq, stored.id) for stored in new[-REMEMBERED:]],
    )
    connection.execute(
        """DELETE FROM journal_recent WHERE seq NOT IN
        (SELECT seq FROM journal_recent ORDER BY seq DESC LIMIT ?)""",
        (REMEMBERED,),
    )
    connection.execute("UPDATE journal_place SET seq = ?", (last,))


def _lines(record: JournalRecord) -> list[Line]:
    return [(decode_event(data), data) for data in record.events]


def _apply(
    connection: sqlite3.Connection,
    appender: Appender,
    stored: Stored,
    record: JournalRecord,
    lines: Sequence[Line],
) -> None:
    if record.kind == "append":
        places = [chunk._replace(data=b"") for chunk in record.chunks]
        # One that does not continue its run was never acknowledged as doing so: every copy passes
        # over it alike.
        try:
            appender.append(
                connection,
                stored.run,
                lines,
                record.offsets,
                places,
                first_cursor=stored.seq * CURSOR_STEP,
            )
        except LogConflict:
            return
    elif record.kind == "cut":
        replace_by_summary(connection, _summary(record.summary), record.offsets)
        appender.forget()
    else:
        forget_run(connection, stored.run, even_live=True)
        appender.forget()
