"""What one append does to the SQLite file, inside the writer's transaction.

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

from unbraid.events import FleetRetracted, decode_event
from unbraid.log.fold import Line, RunChanges, RunFold
from unbraid.log.port import Appended
from unbraid.log.search_blocks import RETRACTED
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


MAX_HELD_RUNS = 512
INDEX_BLOCKS = 2048
MIN_COMPRESSED_BYTES = 256


class _ShortSummary(RunSummary, omit_defaults=True):
    """A summary that is written with every append: without what is the same in a new one."""


_decode_summary = msgspec.json.Decoder(RunSummary).decode
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
        self._version = 0
        self._unindexed = 0

    def forget(self) -> None:
        """Clears the cache: another process has changed the file."""
        self._held.clear()

    def begin(self, connection: sqlite3.Connection) -> None:
        """Prepares for a transaction that has begun: until its end no other process can write."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self.forget()

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
            held.key = create(connection, run)
        if changes.lines:
            self._write(connection, held, changes, first_cursor=first_cursor)
        save_offsets(connection, held.key, offsets)
        if held.fold.summary.over:
            connection.execute("DELETE FROM spool WHERE run = ?", (held.key,))
            self._held.pop(run, None)
        else:
            for part in chunks:
                columns = (held.key, part.source, part.offset, part.arrived_ms)
                connection.execute(_CHUNK, (*columns, *_stored(part.data)))
            self._held[run] = held
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
            (key, event.seq, event.ts, event.stream_id, event.type, data)
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
        if listed != held.listed:
            held.listed = listed
            save(connection, key, summary)
        save_growth(connection, key, summary, open_from=held.fold.open_from)


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


def _stored(data: bytes) -> tuple[bytes, bool]:
    """Returns bytes as they are stored, and whether they are compressed."""
    small = compressed(data, min_bytes=MIN_COMPRESSED_BYTES)
    return (data, False) if small is None else (small, True)


def index_words(connection: sqlite3.Connection) -> None:
    """Adds all blocks of the file to the search index.

    Many at a time: FTS5 writes a new piece of its index at every commit that adds to it, which
    costs more than the words do. Blocks are indexed in the order of their ids, so the last id in
    FTS5 is where to continue, and nothing else has to be remembered.
    """
    connection.execute(_WORDS)


def load(connection: sqlite3.Connection, run: str) -> RunSummary | None:
    """Returns one run's summary."""
    row = connection.execute("SELECT summary FROM runs WHERE run = ?", (run,)).fetchone()
    return None if row is None else _decode_summary(row[0])


def save(connection: sqlite3.Connection, key: int, summary: RunSummary) -> None:
    """Writes a summary and the columns taken from it."""
    listed = (
        summary.status, summary.started, summary.bytes, summary.words, summary.session_id,
    )  # fmt: skip
    connection.execute(_UPDATE_LISTED, (*listed, _encode(summary), key))


def save_offsets(connection: sqlite3.Connection, key: int, offsets: Mapping[str, int]) -> None:
    """Writes sources' offsets, which never go back."""
    for source, offset in offsets.items():
        connection.execute(_OFFSET, (key, source, offset))


def save_growth(
    connection: sqlite3.Connection, key: int, summary: RunSummary, *, open_from: int
) -> None:
    """Writes a summary and the columns that change with every event."""
    columns = (summary.updated, summary.bytes, summary.last_seq, open_from, _encode(summary), key)
    connection.execute(_UPDATE_GROWTH, columns)


def create(connection: sqlite3.Connection, run: str) -> int:
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
_UPDATE_LISTED = """UPDATE runs SET
    status = ?, started = ?, bytes = ?, words = ?, session = ?, summary = ? WHERE id = ?"""
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
