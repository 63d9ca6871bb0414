"""What readers ask the SQLite file, one function a question."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec

from unbraid.fleet.status import FILTERS
from unbraid.log.entry import Entry
from unbraid.log.summary import RunSummary, page_start
from unbraid.wire.chunk import Chunk

# A page of huge events must not fill the memory: reading stops past this, whatever the limit.
MAX_PAGE_BYTES = 4 * 1024 * 1024
CHUNK_PAGE_BYTES = 16 * 1024 * 1024
# Sorts after everything that a name of a run can go on with.
LAST_CHARACTER = "\U0010ffff"

_decode_summary = msgspec.json.Decoder(RunSummary).decode


def run_entries(
    connection: sqlite3.Connection,
    run: str,
    *,
    since: int,
    limit: int,
    stream_id: int | None,
    types: Collection[str],
) -> list[Entry]:
    """Returns events of one run after a seq."""
    where, values = (
        ["run = (SELECT id FROM runs WHERE run = ?)", "seq > ?"],
        list[Any]((run, since)),
    )
    if stream_id is not None:
        where.append("stream_id = ?")
        values.append(stream_id)
    if types:
        where.append(f"type IN ({','.join('?' * len(types))})")
        values.extend(types)
    rows = connection.execute(
        f"SELECT cursor, ?, seq, ts, stream_id, type, data FROM events"
        f" WHERE {' AND '.join(where)} ORDER BY seq LIMIT ?",
        (run, *values, limit),
    )
    return _page(rows)


def all_entries(connection: sqlite3.Connection, since: int, limit: int) -> list[Entry]:
    """Returns events of all runs after a cursor."""
    rows = connection.execute(
        """SELECT cursor, runs.run, seq, ts, stream_id, type, data FROM events
        JOIN runs ON runs.id = events.run WHERE cursor > ? ORDER BY cursor LIMIT ?""",
        (since, limit),
    )
    return _page(rows)


def _page(rows: sqlite3.Cursor) -> list[Entry]:
    entries, size = [], 0
    for row in rows:
        entry = Entry(*row)
        entries.append(entry)
        size += len(entry.data)
        if size > MAX_PAGE_BYTES:
            break
    # A statement left half read would keep its snapshot, and the WAL could not be cut back.
    rows.close()
    return entries


def bounds(connection: sqlite3.Connection) -> tuple[int, int]:
    """Returns the first cursor kept, the last ever given."""
    row = connection.execute(
        """SELECT (SELECT min(cursor) FROM events),
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)"""
    ).fetchone()
    return (row[1] + 1 if row[0] is None else row[0]), row[1]


def summaries(
    connection: sqlite3.Connection,
    *,
    status: str | None,
    matching: str | None,
    limit: int,
    before: str | None,
) -> list[RunSummary]:
    """Returns runs, last started first."""
    where, values = ["last_seq > 0"], list[Any]()
    if status is not None:
        among = FILTERS[status]
        where.append(f"status IN ({', '.join('?' * len(among))})")
        values.extend(among)
    if before is not None:
        where.append("(started, run) < (?, ?)")
        values.extend(page_start(before))
    if matching is not None:
        where.append("instr(words, ?)")
        values.append(matching.lower())
    rows = connection.execute(
        f"SELECT summary FROM runs WHERE {' AND '.join(where)}"
        " ORDER BY started DESC, run DESC LIMIT ?",
        (*values, limit),
    )
    return [_decode_summary(summary) for (summary,) in rows]


def run_names(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Returns the names of runs that begin with `prefix`."""
    if not prefix.isascii():
        return []  # no name has anything else, and SQLite refuses what is no Unicode
    # A range and not GLOB or LIKE: a prefix has no wildcards, and the index on names is used.
    rows = connection.execute(
        "SELECT run FROM runs WHERE run >= ? AND run < ? AND last_seq > 0 ORDER BY run",
        (prefix, prefix + LAST_CHARACTER),
    )
    return [run for (run,) in rows]


def runs_of(connection: sqlite3.Connection, session: str) -> list[RunSummary]:
    """Returns the runs of a session, last started first."""
    rows = connection.execute(
        """SELECT summary FROM runs WHERE (run = ? OR session = ?) AND last_seq > 0
        ORDER BY started DESC, run DESC""",
        (session, session),
    )
    return [_decode_summary(summary) for (summary,) in rows]


def count_runs(connection: sqlite3.Connection) -> int:
    """Returns how many runs have an event."""
    return int(connection.execute("SELECT count(*) FROM runs WHERE last_seq > 0").fetchone()[0])


def offsets(connection: sqlite3.Connection, run: str) -> dict[str, int]:
    """Returns each source's offset."""
    rows = connection.execute(
        "SELECT source, offset FROM positions WHERE run = (SELECT id FROM runs WHERE run = ?)",
        (run,),
    )
    return dict(rows)


class ChunkPage(NamedTuple):
    """Some raw bytes of a run, and after which row to go on; None if that is all."""

    chunks: list[Chunk]
    last_id: int | None


def chunk_page(connection: sqlite3.Connection, run: str, after: int) -> ChunkPage:
    """Returns some of the raw bytes of a run, in the order in which they came."""
    rows = connection.execute(
        """SELECT id, source, offset, data, arrived_ms, compressed FROM spool
        WHERE run = (SELECT id FROM runs WHERE run = ?) AND id > ? ORDER BY id""",
        (run, after),
    )
    chunks: list[Chunk] = []
    size = 0
    for number, source, offset, stored, arrived_ms, compressed in rows:
        data = zlib.decompress(stored) if compressed else stored
        chunks.append(Chunk(source, offset, data, arrived_ms=arrived_ms))
        size += len(data)
        if size >= CHUNK_PAGE_BYTES:
            return ChunkPage(chunks, number)
    return ChunkPage(chunks, None)


def chunk_offsets(connection: sqlite3.Connection, run: str) -> set[tuple[str, int]]:
    """Returns the sources and offsets of a run's raw bytes."""
    rows = connection.execute(
        "SELECT source, offset FROM spool WHERE run = (SELECT id FROM runs WHERE run = ?)", (run,)
    )
    return set(rows)


def unindexed(connection: sqlite3.Connection) -> bool:
    """Returns whether something was said that cannot be found yet."""
    query = """SELECT (SELECT max(id) FROM said) IS NOT (SELECT max(id) FROM said_words_docsize)"""
    return bool(connection.execute(query).fetchone()[0])
