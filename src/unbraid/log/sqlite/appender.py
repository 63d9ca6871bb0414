"""What is written to the SQLite file, inside the writer's transaction: appends, and taking old runs
out of it. Only runs that are over are taken out; a live one is never cut.

What is known of live runs (their summaries, the blocks that are open in them) is held between
appends, so that an append reads nothing back. It is only a cache: after a restart, a rollback, or
when anyone else has written to the file, it is read from there.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec

from unbraid.errors import CallerError
from unbraid.events import FLEET_EVENTS, FleetRetracted, decode_event
from unbraid.fold.status import LIVE
from unbraid.log.fold import RETRACTED, Line, RunChanges, RunFold
from unbraid.log.port import Appended
from unbraid.log.sqlite.reader import summary_of
from unbraid.log.summary import RunSummary
from unbraid.read.chunk import Chunk
from unbraid.read.seen import forget_oldest


def compressed(data: bytes, *, min_bytes: int) -> bytes | None:
    """Returns the bytes compressed; None if they are fewer than `min_bytes`, or would not become
    fewer.
    """
    if len(data) < min_bytes:
        return None
    # The fastest level: records repeat their keys and ids, which it finds as well as the others do.
    small = zlib.compress(data, 1)
    return small if len(small) < len(data) else None


ROWS_PER_STATEMENT = 20


class Inserts:
    """Inserts rows into some columns of a table."""

    def __init__(self, table: str, columns: Sequence[str]) -> None:
        row = f"({', '.join('?' * len(columns))})"
        self._one = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {row}"
        self._many = self._one + f", {row}" * (ROWS_PER_STATEMENT - 1)

    def run(self, connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts the rows, in their order."""
        first = 0
        while len(rows) - first >= ROWS_PER_STATEMENT:
            part = rows[first : first + ROWS_PER_STATEMENT]
            connection.execute(self._many, tuple(chain.from_iterable(part)))
            first += ROWS_PER_STATEMENT
        connection.executemany(self._one, rows[first:] if first else rows)


# A table, because the name is written with every event.
_TYPE_NAMES = {kind: str(kind.__struct_config__.tag) for kind in FLEET_EVENTS}
MAX_HELD_RUNS = 512
INDEX_BLOCKS = 2048
MIN_COMPRESSED_BYTES = 256


class _ShortSummary(RunSummary, omit_defaults=True):
    """A summary that is written with every append: without what is the same in a new one."""


_decode_short = msgspec.json.Decoder(_ShortSummary).decode
_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class _WrittenRun:
    key: int
    fold: RunFold
    listed: tuple[object, ...] = ()  # what the list of runs has of it


class Appender:
    """Appends, on the writer's thread only."""

    def __init__(self) -> None:
        self._held: dict[str, _WrittenRun] = {}
        self._unindexed = 0

    def forget(self) -> None:
        """Clears the cache: another process has changed the file."""
        self._held.clear()

    def append(
        self,
        connection: sqlite3.Connection,
        run: str,
        lines: Sequence[Line],
        *,
        offsets: Mapping[str, int],
        chunks: Sequence[Chunk],
        first_cursor: int | None = None,
    ) -> Appended:
        """Writes what is new. Raises LogConflict before it has written anything. The cursors follow
        those that the file has, or are counted from `first_cursor`.
        """
        held = self._held.get(run) or _read(connection, run)

        def stored(first: int, last: int) -> dict[int, bytes]:
            query = "SELECT seq, data FROM events WHERE run = ? AND seq BETWEEN ? AND ?"
            return dict(connection.execute(query, (held.key, first, last)))

        changes = held.fold.append(lines, stored)
        if not held.key:
            held.key = _create(connection, run)
        if changes.lines:
            self._write(connection, held, changes, first_cursor=first_cursor)
        _save_offsets(connection, held.key, offsets)
        if held.fold.summary.over:
            connection.execute("DELETE FROM spool WHERE run = ?", (held.key,))
            self._held.pop(run, None)
        else:
            for part in chunks:
                small = compressed(part.data, min_bytes=MIN_COMPRESSED_BYTES)
                stored_data = (part.data, False) if small is None else (small, True)
                columns = (held.key, part.source, part.offset, part.arrived_ms)
                connection.execute(_CHUNK, (*columns, *stored_data))
            self._held[run] = held
            if len(self._held) > MAX_HELD_RUNS:
                forget_oldest(self._held, MAX_HELD_RUNS)
        return Appended(len(changes.lines), held.fold.summary.last_seq)

    def _write(
        self,
        connection: sqlite3.Connection,
        held: _WrittenRun,
        changes: RunChanges,
        *,
        first_cursor: int | None,
    ) -> None:
        key, summary = held.key, held.fold.summary
        rows = [
            (key, event.seq, event.ts, event.stream_id, _TYPE_NAMES[type(event)], data)
            for event, data in changes.lines
        ]
        if first_cursor is None:
            _EVENTS.run(connection, rows)
        else:
            _EVENTS_AT.run(connection, [(at, *row) for at, row in enumerate(rows, first_cursor)])
        if changes.blocks:
            _BLOCKS.run(
                connection,
                [(key, b.stream_id, b.seq, b.ts, b.kind, b.text) for b in changes.blocks],
            )
            self._unindexed += len(changes.blocks)
            if self._unindexed >= INDEX_BLOCKS:
                index_words(connection)
                self._unindexed = 0
        if changes.retractions:
            _mark_retracted(connection, key, changes.retractions)
        listed = (
            summary.status, summary.started,
            summary.title, summary.cwd, summary.session_id, summary.source,
        )  # fmt: skip
        open_from = held.fold.open_from
        if listed == held.listed:
            grown = summary.updated, summary.bytes, summary.last_seq, open_from, _encode(summary)
            connection.execute(_UPDATE_GROWTH, (*grown, key))
        else:
            held.listed = listed
            _save(connection, key, summary, open_from=open_from)


def _mark_retracted(
    connection: sqlite3.Connection, key: int, events: Sequence[FleetRetracted]
) -> None:
    """Marks the blocks of withdrawn messages; they can still be found.

    The index does not know messages, so the events are read again: it happens seldom, and once for
    all that are committed together.
    """
    gone = {(event.stream_id, message) for event in events for message in event.message_ids}
    rows = connection.execute(
        """SELECT seq, data FROM events WHERE run = ? AND seq IN
        (SELECT seq FROM said WHERE run = ?) AND type IN ('text', 'thinking', 'tool_use')""",
        (key, key),
    )
    for seq, data in rows.fetchall():
        event = decode_event(data)
        if (event.stream_id, getattr(event, "message_id", None)) in gone:
            connection.execute(
                "UPDATE said SET kind = ? WHERE run = ? AND seq = ?", (RETRACTED, key, seq)
            )


def _read(connection: sqlite3.Connection, run: str) -> _WrittenRun:
    query = "SELECT id, summary, open_from FROM runs WHERE run = ?"
    row = connection.execute(query, (run,)).fetchone()
    if row is None:
        return _WrittenRun(0, RunFold(_ShortSummary(run), indexed=True))
    key, summary, open_from = row
    fold = RunFold(_decode_short(summary), indexed=True)
    query = "SELECT data FROM events WHERE run = ? AND seq >= ? ORDER BY seq"
    fold.restore(decode_event(data) for (data,) in connection.execute(query, (key, open_from)))
    return _WrittenRun(key, fold)


def index_words(connection: sqlite3.Connection) -> None:
    """Adds all blocks of the file to the search index.

    Many at a time: FTS5 writes a new piece of its index at every commit that adds to it, which
    costs more than the words do. Blocks are indexed in the order of their ids, so the last id in
    FTS5 is where to continue, and nothing else has to be remembered.
    """
    connection.execute(_WORDS)


def _save(connection: sqlite3.Connection, key: int, summary: RunSummary, *, open_from: int) -> None:
    """Writes a summary and the columns taken from it."""
    listed = summary.status, summary.started, summary.words, summary.session_id
    grown = summary.updated, summary.bytes, summary.last_seq, open_from, _encode(summary)
    connection.execute(_UPDATE, (*listed, *grown, key))


def _save_offsets(connection: sqlite3.Connection, key: int, offsets: Mapping[str, int]) -> None:
    """Writes sources' offsets, which never go back."""
    for source, offset in offsets.items():
        connection.execute(_OFFSET, (key, source, offset))


def _create(connection: sqlite3.Connection, run: str) -> int:
    """Writes a run that has nothing yet; returns its key."""
    row = (run, _encode(RunSummary(run)))
    key = connection.execute(_CREATE_RUN, row).lastrowid
    assert key is not None
    return key


_CREATE_RUN = """INSERT INTO runs
    (run, status, started, updated, bytes, last_seq, open_from, words, summary)
    VALUES (?, 'working', 0, 0, 0, 0, 1, '', ?)"""
_COLUMNS = ("run", "seq", "ts", "stream_id", "type", "data")
_EVENTS = Inserts("events", _COLUMNS)
_EVENTS_AT = Inserts("events", ("cursor", *_COLUMNS))
_UPDATE = """UPDATE runs SET status = ?, started = ?, words = ?, session = ?,
    updated = ?, bytes = ?, last_seq = ?, open_from = ?, summary = ? WHERE id = ?"""
_UPDATE_GROWTH = """UPDATE runs SET
    updated = ?, bytes = ?, last_seq = ?, open_from = ?, summary = ? WHERE id = ?"""
_BLOCKS = Inserts("said", ("run", "stream_id", "seq", "ts", "kind", "text"))
_WORDS = """INSERT INTO said_words (rowid, text) SELECT id, text FROM said
    WHERE id > (SELECT coalesce(max(id), 0) FROM said_words_docsize) ORDER BY id"""
_OFFSET = """INSERT INTO positions (run, source, offset) VALUES (?, ?, ?)
    ON CONFLICT (run, source) DO UPDATE SET offset = max(offset, excluded.offset)"""
_CHUNK = """INSERT INTO spool (run, source, offset, arrived_ms, data, compressed)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""

# A transaction that deletes is this long at most, or one run: other processes that write wait for
# it, and give up after SQLITE_BUSY_TIMEOUT_SECONDS.
CUT_BYTES = 4 * 1024 * 1024
CUT_RUNS = 256
MERGED_PAGES = 500


def cut_runs(connection: sqlite3.Connection, runs: list[str]) -> list[str]:
    """Deletes the events of the first of these runs that are over, as many as one transaction may
    have, and takes from the list what needs no further look. Returns the runs that were cut.
    """
    batch, size = list[tuple[int, str]](), 0
    while runs and size < CUT_BYTES and len(batch) < CUT_RUNS:
        run = runs.pop(0)
        row = connection.execute(
            """SELECT id, bytes FROM runs WHERE run = ? AND bytes > 0
            AND status NOT IN ('working', 'waiting')""",
            (run,),
        ).fetchone()
        if row is not None:
            batch.append((row[0], run))
            size += row[1]
    _cut(connection, batch)
    return [run for _, run in batch]


def replace_by_summary(
    connection: sqlite3.Connection, summary: RunSummary, offsets: Mapping[str, int]
) -> None:
    """Replaces a run by its summary and its sources' offsets. The file may not have the run yet."""
    row = connection.execute("SELECT id FROM runs WHERE run = ?", (summary.run,)).fetchone()
    key = _create(connection, summary.run) if row is None else row[0]
    _cut(connection, [(key, summary.run)])
    connection.execute("DELETE FROM spool WHERE run = ?", (key,))
    _save(connection, key, summary, open_from=summary.last_seq + 1)
    _save_offsets(connection, key, offsets)


def forget_run(connection: sqlite3.Connection, run: str, *, even_live: bool = False) -> None:
    """Deletes a run that is over, summary and all."""
    row = connection.execute("SELECT id, status FROM runs WHERE run = ?", (run,)).fetchone()
    if row is None:
        return
    if row[1] in LIVE and not even_live:
        raise CallerError(f"run {run} is live")
    _cut(connection, [(row[0], run)])
    connection.execute("DELETE FROM positions WHERE run = ?", (row[0],))
    connection.execute("DELETE FROM spool WHERE run = ?", (row[0],))
    connection.execute("DELETE FROM runs WHERE id = ?", (row[0],))


def clear(connection: sqlite3.Connection) -> None:
    """Deletes all runs."""
    for table in ("events", "said", "positions", "spool", "runs"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO said_words (said_words) VALUES ('delete-all')")


def clean_index(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Removes some of what was deleted from the search index. Returns whether something is left:
    FTS5 has changed no more than the row that asks for it otherwise.
    """
    if begin:
        index_words(connection)
    before = connection.total_changes
    # A negative number: the whole index is merged into one, not only parts of similar size.
    pages = -MERGED_PAGES if begin else MERGED_PAGES
    query = "INSERT INTO said_words (said_words, rank) VALUES ('merge', ?)"
    connection.execute(query, (pages,))
    return begin or connection.total_changes - before >= 2


def vacuum(connection: sqlite3.Connection) -> None:
    """Shrinks the file to what it holds. Called outside of a transaction."""
    connection.execute("VACUUM")


def empty_wal(connection: sqlite3.Connection) -> bool:
    """Writes the WAL back into the database and empties it. Returns False if a reader still needs
    it. Called outside of a transaction.
    """
    timeout = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    # SQLite would wait for the reader with the write lock in its hand, and no one could write.
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        busy = 1
    finally:
        connection.execute(f"PRAGMA busy_timeout = {timeout}")
    return not busy


def _cut(connection: sqlite3.Connection, runs: list[tuple[int, str]]) -> None:
    # Events first: on a full disk, the pages they give back are what the rest is written to.
    for key, _ in runs:
        connection.execute("DELETE FROM events WHERE run = ?", (key,))
    # What is not in the index yet could not be taken out of it.
    index_words(connection)
    for key, run in runs:
        # FTS5 with external content wants the old text to take its words out of the index.
        connection.execute(
            """INSERT INTO said_words (said_words, rowid, text)
            SELECT 'delete', id, text FROM said WHERE run = ?""",
            (key,),
        )
        connection.execute("DELETE FROM said WHERE run = ?", (key,))
        summary = summary_of(connection, run)
        assert summary is not None
        summary.bytes, summary.first_seq = 0, summary.last_seq + 1
        _save(connection, key, summary, open_from=summary.first_seq)
