"""The SQLite file: its tables and its version, connections to it, its errors in our words, and the
threads that write and read.

`PRAGMA user_version` counts the migrations a file has had. Each runs in one transaction with the
new number, so a crash leaves the file at one version or the other. A migration that has been
released is never edited.

One thread owns the connection that writes, and commits whatever has gathered in one transaction.
While one commit waits for the disk, the next appends queue up; they all share the next sync. So
durability costs one sync per group, and the group grows by itself with the load. A job is answered
only after its commit. Readers have connections of their own: in WAL neither waits for the other.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import msgspec

from unbraid.errors import UnbraidError
from unbraid.log.port import LogUnusable
from unbraid.timings import SQLITE_BUSY_TIMEOUT_SECONDS

# While the log's writer is busy, it counts as able to append for this long after a commit: what it
# is given at once may take seconds on a slow disk.
COMMIT_FRESH_SECONDS = 5.0
# Appends share a transaction until it has taken so long, many times what a sync costs: no append
# waits for the megabytes of many sessions.
TRANSACTION_SECONDS = 0.1

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


# "unbr", so that a database of another program is never taken for ours.
APPLICATION_ID = 0x756E6272

Migration = tuple[str, ...]

MIGRATIONS: tuple[Migration, ...] = (
    (
        # AUTOINCREMENT: cursors and ids are never given twice, even after the newest rows were
        # deleted.
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
            started INTEGER NOT NULL, updated INTEGER NOT NULL, bytes INTEGER NOT NULL,
            last_seq INTEGER NOT NULL, open_from INTEGER NOT NULL,
            words TEXT NOT NULL, summary BLOB NOT NULL)""",
        # Over columns that hardly ever change, so that an append does not touch them.
        "CREATE INDEX runs_started ON runs (started, run)",
        "CREATE INDEX runs_status ON runs (status, started, run)",
        """CREATE TABLE events (
            cursor INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, seq INTEGER NOT NULL,
            ts INTEGER NOT NULL, stream_id INTEGER NOT NULL, type TEXT NOT NULL,
            data BLOB NOT NULL)""",
        "CREATE UNIQUE INDEX events_seq ON events (run, seq)",
        # The offset of each source: how many of its bytes the events of the run answer for.
        """CREATE TABLE positions (
            run INTEGER NOT NULL, source TEXT NOT NULL, offset INTEGER NOT NULL,
            PRIMARY KEY (run, source)) WITHOUT ROWID""",
        # The raw bytes of runs that are not over, as they came: fed again, they rebuild the
        # translator after a restart.
        """CREATE TABLE spool (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, source TEXT NOT NULL,
            offset INTEGER NOT NULL, arrived_ms INTEGER NOT NULL, data BLOB NOT NULL,
            UNIQUE (run, source, offset))""",
        # The blocks of text that search finds: what agents said, were asked and called. A word of
        # them is found through `said_words`, the index over their text.
        """CREATE TABLE said (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL, stream_id INTEGER NOT NULL,
            seq INTEGER NOT NULL, ts INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)""",
        "CREATE INDEX said_run ON said (run)",
        """CREATE VIRTUAL TABLE said_words USING fts5 (
            text, content='said', content_rowid='id', tokenize='unicode61 remove_diacritics 2')""",
    ),
    (
        "ALTER TABLE runs ADD COLUMN session TEXT",
        # A blob could be taken for SQLite's own binary JSON.
        "UPDATE runs SET session = json_extract(CAST(summary AS TEXT), '$.session_id')",
        "CREATE INDEX runs_session ON runs (session)",
    ),
    (
        # A run that is not over works or waits. Which, its next event shows.
        """UPDATE runs SET status = 'working', summary = CAST(
            json_set(CAST(summary AS TEXT), '$.status', 'working') AS BLOB)
            WHERE status = 'live'""",
    ),
    # 0: the bytes themselves; 1: compressed with zlib.
    ("ALTER TABLE spool ADD COLUMN compressed INTEGER NOT NULL DEFAULT 0",),
)


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Notes how many migrations a file has had."""
    connection.execute(f"PRAGMA user_version = {version}")


def migrate(
    connection: sqlite3.Connection, address: str, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the file to the newest version; LogUnusable if it is newer still or not ours."""
    if _version(connection, address, len(migrations)) == len(migrations):
        return
    # Looked at again under the lock: another process may be creating the same file.
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection, address, len(migrations))
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        set_version(connection, len(migrations))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, address: str, newest: int) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if tables and owner != APPLICATION_ID:
        raise LogUnusable(address, "corrupt", "is a database of another program")
    if version > newest:
        problem = f"was written by a newer unbraid (version {version}, this one knows {newest})"
        raise LogUnusable(address, "newer", problem)
    return version


T = TypeVar("T")
P = ParamSpec("P")
MAX_GROUP = 256


@dataclass(frozen=True)
class Alone(Generic[T]):
    """A job that runs outside of any transaction, after those that were submitted before it."""

    job: Callable[[sqlite3.Connection], T]

    def __call__(self, connection: sqlite3.Connection) -> T:
        return self.job(connection)


@dataclass(slots=True)
class _Order:
    job: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]
    answer: asyncio.Future[Any]
    outcome: Any = None
    error: BaseException | None = None


class Writer:
    """Runs jobs on the writing connection, grouped into transactions."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        address: str,
        errors: FileErrors,
        *,
        on_begin: Callable[[sqlite3.Connection], None],
        on_commit: Callable[[], None],
        on_rollback: Callable[[], None],
    ) -> None:
        self._connection, self._address, self._errors = connection, address, errors
        self._loop = asyncio.get_running_loop()
        self._on_begin, self._on_commit, self._on_rollback = on_begin, on_commit, on_rollback
        self._queue: SimpleQueue[_Order | None] = SimpleQueue()
        self._closed = False
        self._unanswered, self._committed_at = 0, -math.inf
        self._thread = threading.Thread(target=self._work, name="unbraid-log-writer", daemon=True)
        self._thread.start()

    @property
    def keeps_up(self) -> bool:
        """Whether it has work at this moment, and has committed not long ago."""
        fresh = time.monotonic() - self._committed_at < COMMIT_FRESH_SECONDS
        return self._unanswered > 0 and fresh

    def submit(
        self, job: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> asyncio.Future[T]:
        """Runs a job in a transaction. The returned future is done once that is committed.

        A caller that gives up cancels only its answer; what is being written is written.
        """
        if self._closed:
            raise LogUnusable(self._address, "closed", "the log is closed")
        answer: asyncio.Future[T] = self._loop.create_future()
        self._unanswered += 1
        self._queue.put(_Order(job, args, named, answer))
        return answer

    async def close(self) -> None:
        """Commits what was accepted, then closes the connection."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        going = True
        while going:
            group, going = self._gather()
            while group:
                is_alone = isinstance(group[0].job, Alone)
                count = self._run_alone(group[0]) if is_alone else self._commit(group)
                done, group = group[:count], group[count:]
                # If the loop is closed, no caller is left to answer.
                if not self._loop.is_closed():
                    self._loop.call_soon_threadsafe(self._answer, done)
        self._connection.close()

    def _gather(self) -> tuple[list[_Order], bool]:
        order = self._queue.get()
        group: list[_Order] = []
        while order is not None:
            group.append(order)
            if len(group) >= MAX_GROUP or self._queue.empty():
                return group, True
            order = self._queue.get()
        return group, False

    def _commit(self, group: list[_Order]) -> int:
        """Commits orders; returns how many are done. Those after them are left for the next
        transaction, because the ones before them took long.
        """
        count = 0
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._on_begin(self._connection)
            enough = time.monotonic() + TRANSACTION_SECONDS
            for order in group:
                if isinstance(order.job, Alone):
                    break
                count += 1
                try:
                    order.outcome = order.job(self._connection, *order.args, **order.named)
                    order.error = None
                except UnbraidError as error:
                    # Raised before the job wrote anything, so the others are not touched.
                    order.outcome, order.error = None, error
                if time.monotonic() >= enough:
                    break
            self._connection.execute("COMMIT")
            self._committed_at = time.monotonic()
        except Exception as error:
            self._roll_back()
            count = max(count, 1)
            if count > 1:
                # One bad job must not take the others with it.
                for order in group[:count]:
                    self._commit([order])
            else:
                group[0].error = self._errors.in_our_words(error)
        return count

    def _roll_back(self) -> None:
        self._committed_at = -math.inf
        self._on_rollback()
        # SQLite rolls back by itself on some errors; then there is nothing left to roll back.
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _run_alone(self, order: _Order) -> int:
        try:
            order.outcome = order.job(self._connection)
        except Exception as error:
            order.error = self._errors.in_our_words(error)
        return 1

    def _answer(self, done: list[_Order]) -> None:
        """Gives callers their answers, on their event loop."""
        self._on_commit()
        self._unanswered -= len(done)
        for order in done:
            if order.answer.done():
                continue
            if order.error is None:
                order.answer.set_result(order.outcome)
            else:
                order.answer.set_exception(order.error)


MAX_READERS = 4


class Readers:
    """A few threads that read, each with a connection while it does."""

    def __init__(self, path: Path, errors: FileErrors) -> None:
        self._path, self._errors = path, errors
        self._threads = ThreadPoolExecutor(MAX_READERS, thread_name_prefix="unbraid-log-reader")
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    async def read(
        self, job: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Runs a job that only reads, on one snapshot of the file, and returns its result. A job
        decodes what it finds, too: elsewhere, no one would know that it is the file that is
        damaged.
        """
        if self._closed:
            raise LogUnusable(str(self._path), "closed", "the log is closed")
        call = partial(self._run, job, *args, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def close(self) -> None:
        """Waits for the reads that are running, then closes the connections."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        while self._idle:
            self._idle.pop().close()

    def _run(
        self, job: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        with self._errors.named():
            # list.pop and list.append are atomic, and no two threads ever hold the same connection.
            connection = self._idle.pop() if self._idle else open_reader(self._path)
            try:
                # Without it every query would see a moment of its own, and a commit in between
                # would give a job the half of what belongs together.
                connection.execute("BEGIN")
                try:
                    return job(connection, *args, **named)
                finally:
                    # After some errors SQLite has ended it by itself.
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            finally:
                self._idle.append(connection)
