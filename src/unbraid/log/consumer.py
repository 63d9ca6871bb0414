"""Who sends, alerts about or counts what a log gets: a consumer, which follows it from a cursor.

Every event is handled, in order, and the cursor moves behind what was handled. While the handler
fails, because a server or collector is away, the consumer waits and the log keeps what is to come.
After a restart it continues from the stored cursor: what was being handled when the process ended
is handled again, and nothing is left out.

Cursors are in one SQLite file of the data folder, the outbox, beside what else a consumer has to
remember. One process at a time works for a cursor: the one that holds its lock.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from unbraid.errors import LogError
from unbraid.log.entry import Entry
from unbraid.log.port import WholeLogReader
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.system.tasks import Backoff
from unbraid.timings import SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS

# Others write a row or two, and are done in milliseconds.
OUTBOX_LOCK_SECONDS = 10.0
FOLDER = "outbox"
FILE_NAME = "ledger.db"

Handler = Callable[[list[Entry]], Awaitable[None]]


class Consumer:
    """Hands all that a log gets, or one `run` of it, to a handler, and moves its cursor behind it.

    A handler that raises LogError gets the same batch again after a pause, and has to be able to
    continue with it. `on_problem` is called with the error when that begins, and `on_recovery` when
    it is over.
    """

    def __init__(
        self,
        log: WholeLogReader,
        handle: Handler,
        *,
        run: str | None = None,
        cursor: StoredCursor | None = None,
        backoff: Backoff | None = None,
        on_problem: Callable[[LogError], None] = lambda problem: None,
        on_recovery: Callable[[LogError], None] = lambda problem: None,
    ) -> None:
        self._log, self._handle, self._run, self._stored = log, handle, run, cursor
        # Of all runs the position is a cursor, of one run a seq.
        self._follow: Callable[[int], AsyncIterator[list[Entry]]] = log.follow_all
        self._read: Callable[[int], Awaitable[list[Entry]]] = log.read_all
        if run is not None:
            self._follow, self._read = partial(log.follow, run), partial(log.read, run)
        self._backoff = backoff or Backoff(SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS)
        self._on_problem, self._on_recovery = on_problem, on_recovery
        self.position = 0
        self.problem: LogError | None = None
        self._moved = asyncio.Event()

    async def begin(self) -> bool:
        """Determines where `follow` begins: at the stored cursor, if it is one of this log.
        Otherwise with what the log gets from now on; then returns True.
        """
        stored = None if self._stored is None else self._stored.load()
        last = (await self._log.bounds())[1]
        # A cursor beyond the end is one of another log that stood in this one's place.
        is_first = stored is None or stored > last
        self.position = last if stored is None or is_first else stored
        return is_first

    async def follow(self) -> None:
        """Handles what there is and what will come, until it is cancelled or the run is over."""
        while True:
            try:
                async for batch in self._follow(self.position):
                    if batch:
                        await self.until_done(partial(self._handle, batch))
                        self._move(batch)
                if self._run is not None:
                    return
            except LogError as error:
                self._fail(error)
            await self._backoff.wait()

    async def until_done(self, act: Callable[[], Awaitable[None]]) -> None:
        """Does something, and does it again after each LogError."""
        while True:
            try:
                await act()
            except LogError as error:
                self._fail(error)
                await self._backoff.wait()
            else:
                self._recover()
                return

    async def catch_up(self) -> None:
        """Handles what there is now. Raises what the handler raises, and LogError."""
        while batch := await self._read(self.position):
            await self._handle(batch)
            self._move(batch)

    async def reach_end(self) -> None:
        """Waits until `follow` has handled what the log has now, or cannot."""
        last = (await self._log.bounds())[1]
        while self.position < last and self.problem is None:
            self._moved.clear()
            await self._moved.wait()

    def store(self) -> None:
        """Stores the cursor as it is. Raises LogError."""
        if self._stored is not None:
            self._stored.store(self.position)

    def _move(self, batch: list[Entry]) -> None:
        self.position = batch[-1].cursor if self._run is None else batch[-1].seq
        self._moved.set()
        # Last: if it cannot be stored now, it is with the next batch, and nothing is repeated.
        self.store()

    def _fail(self, error: LogError) -> None:
        was_well, self.problem = self.problem is None, error
        self._moved.set()
        if was_well:
            self._on_problem(error)

    def _recover(self) -> None:
        self._backoff.reset()
        if self.problem is not None:
            problem, self.problem = self.problem, None
            self._on_recovery(problem)


class OutboxFile:
    """The file, shared by all processes of a machine; without a data folder, one that lives in this
    process. Raises LogError if it cannot be used.
    """

    def __init__(self, home: Path | None, tables: str = "") -> None:
        folder = None if home is None else home / FOLDER
        self._path = ":memory:" if folder is None else str(folder / FILE_NAME)
        try:
            if folder is not None:
                # Agents' runs are private: no other user of the machine may read their names.
                make_private_folder(folder)
            self._database = sqlite3.connect(
                self._path, timeout=OUTBOX_LOCK_SECONDS, isolation_level=None
            )
            # What a power cut takes back is sent again: no commit has to wait for the disk.
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(_TABLES + tables)
        except (OSError, sqlite3.Error) as error:
            raise LogError(f"{folder or 'outbox'}: {error}") from error

    @staticmethod
    def exists(home: Path) -> bool:
        """Returns whether anything was ever to be sent from here."""
        return (home / FOLDER / FILE_NAME).exists()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns what a query finds."""
        try:
            with closing(self._database.execute(query, values)) as found:
                return found.fetchall()
        except sqlite3.Error as error:
            raise LogError(f"{self._path}: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of a block or nothing of it."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise LogError(f"{self._path}: {error}") from error

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


class StoredCursor:
    """How far a consumer has come with one log, for one `target` of it."""

    def __init__(self, home: Path, log: str, target: str) -> None:
        self._home, self._key = home, (log, target)
        self._lock: IO[bytes] | None = None
        self._file: OutboxFile | None = None

    def acquire(self) -> bool:
        """Locks the cursor until `release`. Returns False if another process works for it. Raises
        LogError.
        """
        if self._lock is None:
            folder = self._home / FOLDER
            # A digest: no name of a file has slashes in it.
            digest = sha256("\n".join(self._key).encode()).hexdigest()[:32]
            try:
                make_private_folder(folder)
                self._lock = locked_file(folder / f"{digest}.lock")
            except OSError as error:
                raise LogError(f"{folder}: {error.strerror}") from error
        return self._lock is not None

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Locks the cursor while the block runs; yields False if another process works for it."""
        try:
            yield self.acquire()
        finally:
            self.release()

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock."""
        return self._lock is not None

    def release(self) -> None:
        """Unlocks the cursor."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def load(self) -> int | None:
        """Returns the cursor; None if none was ever stored. Raises LogError."""
        query = "SELECT cursor FROM servers WHERE log = ? AND url = ?"
        rows = self._opened().rows(query, *self._key)
        return int(rows[0][0]) if rows else None

    def store(self, cursor: int) -> None:
        """Stores the cursor. Raises LogError."""
        with self._opened().transaction() as database:
            database.execute(
                "INSERT INTO servers VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET cursor = excluded.cursor",
                (*self._key, cursor),
            )

    def _opened(self) -> OutboxFile:
        if self._file is None:
            self._file = OutboxFile(self._home)
        return self._file


# Named after the first targets that there were: servers, by their addresses.
_TABLES = """
CREATE TABLE IF NOT EXISTS servers (
    log TEXT, url TEXT, cursor INTEGER NOT NULL, PRIMARY KEY (log, url)
);
"""
