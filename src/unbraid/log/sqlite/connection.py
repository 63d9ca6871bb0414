"""Connections to the SQLite file, and its errors in our words."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from unbraid.log.port import LogUnusable
from unbraid.timings import SQLITE_BUSY_TIMEOUT_SECONDS

_REASONS = {
    sqlite3.SQLITE_FULL: ("full", "the disk is full"),
    sqlite3.SQLITE_BUSY: ("locked", "another program holds it locked"),
    sqlite3.SQLITE_LOCKED: ("locked", "another program holds it locked"),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "the file is damaged"),
    sqlite3.SQLITE_NOTADB: ("corrupt", "the file is not a database"),
    # What is asked is always the same: only the tables can be others.
    sqlite3.SQLITE_ERROR: ("corrupt", "the file is not what it was"),
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


class DamagedCopy(LogUnusable):
    """The file of a copy is damaged. Nothing is lost by that: the log itself has all of it."""

    def __init__(self, path: Path, detail: str) -> None:
        advice = "this is only a copy of the log: `unbraid doctor --repair` makes it anew"
        super().__init__(str(path), "corrupt", detail, advice=advice)
        self.path = path


class FileErrors:
    """What goes wrong with one file, in our words."""

    def __init__(self, path: Path, *, is_copy: bool = False) -> None:
        self._path, self._is_copy = path, is_copy

    @contextmanager
    def named(self) -> Iterator[None]:
        """Raises what is raised within it in our words."""
        try:
            yield
        except Exception as error:
            named = self.in_our_words(error)
            if named is error:
                raise
            raise named from error

    def in_our_words(self, error: Exception) -> Exception:
        """Returns LogUnusable for an error of the file; any other as it is."""
        if isinstance(error, LogUnusable):
            # Not of another address: a journal may have a record that nobody can read.
            if error.reason != "corrupt" or error.address != str(self._path):
                return error
            reason, text = error.reason, error.detail
        elif isinstance(error, sqlite3.Error):
            reason, text = _reason(error)
        elif isinstance(error, (msgspec.MsgspecError, zlib.error, UnicodeDecodeError)):
            # Nothing was written that could not be read.
            reason, text = "corrupt", f"the file is damaged ({error})"
        else:
            return error
        if reason == "corrupt" and self._is_copy:
            return DamagedCopy(self._path, text)
        return LogUnusable(str(self._path), reason, text)


def _reason(error: sqlite3.Error) -> tuple[str, str]:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Python's own, which would tell what an agent has said.
        return "corrupt", "the file is damaged (a text cannot be decoded)"
    # The low byte is the primary code; the rest says more than anyone here needs.
    reason, text = _REASONS.get(code & 0xFF, ("io", "cannot be used"))
    return reason, f"{text} ({error})"
