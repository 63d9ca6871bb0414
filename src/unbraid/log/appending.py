"""What one append does to the SQLite file, inside the writer's transaction.

The open blocks of live runs are held between appends, so that search costs no reading back. They
are only a cache: after a restart, a rollback, or when another process has appended, they are
rebuilt from the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec

from unbraid.events import decode_event
from unbraid.log.admission import Line, admit
from unbraid.log.port import Appended, Spooled
from unbraid.log.said import Blocks, Said
from unbraid.log.summary import RunSummary

MAX_HELD_RUNS = 512
INDEX_BLOCKS = 256

_decode_summary = msgspec.json.Decoder(RunSummary).decode
_encode = msgspec.json.Encoder().encode


class Appender:
    """Appends, on the writer's thread only."""

    def __init__(self) -> None:
        self._blocks: dict[int, Blocks] = {}
        self._unindexed = 0

    def forget(self) -> None:
        """Drop what is held, because the transaction it belonged to was rolled back."""
        self._blocks.clear()

    def append(
        self,
        connection: sqlite3.Connection,
        run: str,
        lines: Sequence[Line],
        positions: Mapping[str, int],
        spool: Sequence[Spooled],
    ) -> Appended:
        """Write what is new. Raises LogConflict before it has written anything."""
        key, summary, open_from = self._open(connection, run)

        def stored(first: int, last: int) -> dict[int, bytes]:
            query = "SELECT seq, data FROM events WHERE run = ? AND seq BETWEEN ? AND ?"
            return dict(connection.execute(query, (key, first, last)))

        fresh = admit(summary, lines, stored)
        if key is None:
            key = _create(connection, run)
        if fresh:
            blocks = self._held(connection, key, summary.last_seq, open_from)
            self._write(connection, key, summary, blocks, fresh)
        for source, offset in positions.items():
            connection.execute(_POSITION, (key, source, offset))
        if summary.over:
            connection.execute("DELETE FROM spool WHERE run = ?", (key,))
            self._blocks.pop(key, None)
        elif spool:
            rows = [(key, part.source, part.offset, part.arrived_ms, part.data) for part in spool]
            connection.executemany(_SPOOL, rows)
        return Appended(len(fresh), summary.last_seq)

    def _open(self, connection: sqlite3.Connection, run: str) -> tuple[int | None, RunSummary, int]:
        query = "SELECT id, summary, open_from FROM runs WHERE run = ?"
        row = connection.execute(query, (run,)).fetchone()
        return (
            (None, RunSummary(run), 1) if row is None else (row[0], _decode_summary(row[1]), row[2])
        )

    def _held(
        self, connection: sqlite3.Connection, key: int, last_seq: int, open_from: int
    ) -> Blocks:
        blocks = self._blocks.get(key)
        if blocks is None or blocks.last_seq != last_seq:
            if len(self._blocks) >= MAX_HELD_RUNS:
                self._blocks.pop(next(iter(self._blocks)))
            blocks = self._blocks[key] = Blocks()
            blocks.last_seq = last_seq
            query = "SELECT data FROM events WHERE run = ? AND seq >= ? ORDER BY seq"
            for (data,) in connection.execute(query, (key, open_from)):
                # What closes on the way was complete, and indexed, before.
                blocks.feed(decode_event(data))
        return blocks

    def _write(
        self,
        connection: sqlite3.Connection,
        key: int,
        summary: RunSummary,
        blocks: Blocks,
        fresh: Sequence[Line],
    ) -> None:
        rows, said = [], list[Said]()
        for event, data in fresh:
            rows.append((key, event.seq, event.ts, event.stream_id, event.type, data))
            summary.fold(event, len(data))
            said += blocks.feed(event)
        connection.executemany(_EVENT, rows)
        if said:
            blocks_said = [(key, s.stream_id, s.seq, s.ts, s.kind, s.text) for s in said]
            connection.executemany(_SAID, blocks_said)
            self._unindexed += len(said)
            if self._unindexed >= INDEX_BLOCKS:
                index_words(connection)
                self._unindexed = 0
        save(connection, key, summary, blocks.open_from)


def index_words(connection: sqlite3.Connection) -> None:
    """Make all blocks that are in the file findable.

    Many at a time: FTS5 writes a new piece of its index at every commit that adds to it, which
    costs more than the words do. Blocks are indexed in the order of their ids, so what FTS5 has
    last is where to go on, and nothing else has to be remembered.
    """
    connection.execute(_WORDS)


def load(connection: sqlite3.Connection, run: str) -> RunSummary | None:
    """One run's summary."""
    row = connection.execute("SELECT summary FROM runs WHERE run = ?", (run,)).fetchone()
    return None if row is None else _decode_summary(row[0])


def save(
    connection: sqlite3.Connection, key: int, summary: RunSummary, open_from: int | None = None
) -> None:
    """Write a summary and the columns taken from it."""
    texts = (summary.run, summary.title, summary.cwd, summary.session_id, summary.source)
    words = "\n".join(text.lower() for text in texts if text)
    connection.execute(
        """UPDATE runs SET status = ?, started = ?, updated = ?, bytes = ?, last_seq = ?,
        open_from = coalesce(?, open_from), words = ?, summary = ? WHERE id = ?""",
        (
            summary.status, summary.started, summary.updated, summary.bytes, summary.last_seq,
            open_from, words, _encode(summary), key,
        ),
    )  # fmt: skip


def _create(connection: sqlite3.Connection, run: str) -> int:
    row = (run, _encode(RunSummary(run)))
    key = connection.execute(_RUN, row).lastrowid
    assert key is not None
    return key


_RUN = """INSERT INTO runs
    (run, status, started, updated, bytes, last_seq, open_from, words, summary)
    VALUES (?, 'live', 0, 0, 0, 0, 1, '', ?)"""
_EVENT = "INSERT INTO events (run, seq, ts, stream_id, type, data) VALUES (?, ?, ?, ?, ?, ?)"
_SAID = "INSERT INTO said (run, stream_id, seq, ts, kind, text) VALUES (?, ?, ?, ?, ?, ?)"
_WORDS = """INSERT INTO said_words (rowid, text) SELECT id, text FROM said
    WHERE id > (SELECT coalesce(max(id), 0) FROM said_words_docsize) ORDER BY id"""
_POSITION = """INSERT INTO positions (run, source, offset) VALUES (?, ?, ?)
    ON CONFLICT (run, source) DO UPDATE SET offset = max(offset, excluded.offset)"""
_SPOOL = """INSERT INTO spool (run, source, offset, arrived_ms, data) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
