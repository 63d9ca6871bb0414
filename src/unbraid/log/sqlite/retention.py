"""Taking old runs out of the SQLite file. Only runs that are over; a live one is never cut."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from unbraid.errors import CallerError
from unbraid.fleet.status import LIVE
from unbraid.log.sqlite.appender import (
    create,
    index_words,
    load,
    save,
    save_growth,
    save_offsets,
)
from unbraid.log.summary import RunSummary


def delete_old_runs(
    connection: sqlite3.Connection, newer_than_ms: int | None, max_bytes: int | None
) -> list[str]:
    """Deletes the events of runs that are too old, then of the oldest until the rest fits. Returns
    these runs.
    """
    removed = old_runs(connection, newer_than_ms, max_bytes)
    _cut(connection, removed)
    return [run for _, run in removed]


def old_runs(
    connection: sqlite3.Connection, newer_than_ms: int | None, max_bytes: int | None
) -> list[tuple[int, str]]:
    """Returns which runs are too old, or too many, by key and name."""
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
    return removed


def replace_by_summary(
    connection: sqlite3.Connection, summary: RunSummary, offsets: Mapping[str, int]
) -> None:
    """Replaces a run by its summary and its sources' offsets. The file may not have the run yet."""
    row = connection.execute("SELECT id FROM runs WHERE run = ?", (summary.run,)).fetchone()
    key = create(connection, summary.run) if row is None else row[0]
    _cut(connection, [(key, summary.run)])
    connection.execute("DELETE FROM spool WHERE run = ?", (key,))
    save(connection, key, summary)
    save_growth(connection, key, summary, open_from=summary.last_seq + 1)
    save_offsets(connection, key, offsets)


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


def clean_index(connection: sqlite3.Connection) -> None:
    """Removes from the search index what was deleted."""
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
