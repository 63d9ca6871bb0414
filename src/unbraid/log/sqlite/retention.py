"""Taking old runs out of the SQLite file. Only runs that are over; a live one is never cut."""

from __future__ import annotations

import sqlite3

from unbraid.errors import CallerError
from unbraid.fleet.status import LIVE
from unbraid.log.port import Retained
from unbraid.log.sqlite.appender import index_words, load, save


def delete_old_runs(
    connection: sqlite3.Connection, newer_than_ms: int | None, max_bytes: int | None
) -> Retained:
    """Delete the events of runs that are too old, then of the oldest until the rest fits."""
    total = int(connection.execute("SELECT coalesce(sum(bytes), 0) FROM runs").fetchone()[0])
    candidates = connection.execute(
        """SELECT id, run, updated, bytes FROM runs
        WHERE status NOT IN ('working', 'waiting') AND bytes > 0 ORDER BY updated"""
    ).fetchall()
    removed, freed = [], 0
    for key, run, updated, size in candidates:
        old = newer_than_ms is not None and updated < newer_than_ms
        if old or (max_bytes is not None and total - freed > max_bytes):
            removed.append((key, run))
            freed += size
    _cut(connection, removed)
    return Retained([run for _, run in removed], freed)


def forget_run(connection: sqlite3.Connection, run: str) -> None:
    """Delete a run that is over, summary and all."""
    row = connection.execute("SELECT id, status FROM runs WHERE run = ?", (run,)).fetchone()
    if row is None:
        return
    if row[1] in LIVE:
        raise CallerError(f"run {run} is live")
    _cut(connection, [(row[0], run)])
    connection.execute("DELETE FROM positions WHERE run = ?", (row[0],))
    connection.execute("DELETE FROM runs WHERE id = ?", (row[0],))


def clean_index(connection: sqlite3.Connection) -> None:
    """Leave nothing in the index of what was deleted."""
    index_words(connection)
    connection.execute("INSERT INTO said_words (said_words) VALUES ('optimize')")


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
        summary = load(connection, run)
        assert summary is not None
        summary.bytes, summary.first_seq = 0, summary.last_seq + 1
        save(connection, key, summary)
