"""Taking old runs out of the SQLite file. Only runs that are over; a live one is never cut."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from unbraid.errors import CallerError
from unbraid.fold.status import LIVE
from unbraid.log.port import LogSize
from unbraid.log.sqlite.appender import (
    create,
    index_words,
    load,
    save,
    save_growth,
    save_offsets,
)
from unbraid.log.summary import RunSummary

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


def log_size(connection: sqlite3.Connection) -> LogSize:
    """Returns how large the database is, by its pages. The files do not tell: next to a reader, a
    WAL holds pages that are in the database, too, and after a VACUUM all of them.
    """
    page, count, free = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count")
    )
    # What remains of runs without their events, the raw bytes of those that are not over, and the
    # first page of every table and index.
    kept = connection.execute(
        """SELECT (SELECT coalesce(sum(length(summary) + length(words)), 0) FROM runs)
        + (SELECT coalesce(sum(length(data)), 0) FROM spool)
        + (SELECT count(*) FROM sqlite_master WHERE rootpage > 0) * ?""",
        (page,),
    ).fetchone()[0]
    used = (count - free) * page
    return LogSize(total=count * page, used=used, content=max(used - int(kept), 0))


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


def begin_cleaning(connection: sqlite3.Connection) -> None:
    """Begins to remove from the search index what was deleted."""
    index_words(connection)
    # A negative number: the whole index is merged into one, not only parts of similar size.
    _merge(connection, -MERGED_PAGES)


def continue_cleaning(connection: sqlite3.Connection) -> bool:
    """Removes more of it. Returns whether something is left: FTS5 has changed no more than the row
    that asks for it otherwise.
    """
    before = connection.total_changes
    _merge(connection, MERGED_PAGES)
    return connection.total_changes - before >= 2


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


def _merge(connection: sqlite3.Connection, pages: int) -> None:
    query = "INSERT INTO said_words (said_words, rank) VALUES ('merge', ?)"
    connection.execute(query, (pages,))


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
