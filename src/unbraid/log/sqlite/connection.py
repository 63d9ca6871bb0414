"""Connections to the SQLite file, and its errors in our words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unbraid.log.port import LogUnusable
from unbraid.timings import SQLITE_BUSY_TIMEOUT_SECONDS

_REASONS = {
    sqlite3.SQLITE_FULL: ("full", "the disk is full"),
    sqlite3.SQLITE_BUSY: ("locked", "another program holds it locked"),
    sqlite3.SQLITE_LOCKED: ("locked", "another program holds it locked"),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "the file is damaged"),
    sqlite3.SQLITE_NOTADB: ("corrupt", "the file is not a database"),
}


def open_writer(
    path: Path, *, busy_seconds: float = SQLITE_BUSY_TIMEOUT_SECONDS, durable: bool = True
) -> sqlite3.Connection:
    """Returns the connection that writes. One that is not `durable` may lose its last commits in a
    power cut, though never a part of one.
    """
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise LogUnusable(str(path), "io", f"the file system cannot keep a WAL ({mode})")
        # FULL: the WAL is synced at every commit. NORMAL would survive kill -9 but not a power cut,
        # and then "acknowledged means durable" would be untrue; group commit is what pays for it.
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("PRAGMA journal_size_limit = 8388608")
        connection.execute("PRAGMA cache_size = -16384")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """Returns a connection that cannot write."""
    connection = sqlite3.connect(
        path, timeout=SQLITE_BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    # Where a search lists the words of the index. No more than its name is made.
    connection.execute(
        "CREATE VIRTUAL TABLE temp.said_terms USING fts5vocab (main, said_words, row)"
    )
    connection.execute("PRAGMA query_only = ON")
    return connection


@contextmanager
def our_errors(place: str) -> Iterator[None]:
    """Turn what SQLite raises into LogUnusable."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_unusable(place, error) from error


def as_unusable(place: str, error: sqlite3.Error) -> LogUnusable:
    """Returns one error of SQLite in our words."""
    # The low byte is the primary code; the rest says more than anyone here needs.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    reason, text = _REASONS.get(code, ("io", "cannot be used"))
    return LogUnusable(place, reason, f"{text} ({error})")
