"""The embedded log: one SQLite file, in WAL mode.

One thread writes, with group commit; others read, each on a connection of its own. Several
processes may share the file (`unbraid run` in one terminal, the page in another): SQLite's write
lock orders their appends, and followers notice foreign commits by looking at `PRAGMA data_version`
while they wait.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os.path import samestat
from pathlib import Path

from unbraid.events import FleetEvent
from unbraid.log.fold import checked_append
from unbraid.log.leases import FileLeases
from unbraid.log.port import Appended, Found, LogUnusable, unknown_address
from unbraid.log.sqlite.appender import (
    Appender,
    clean_index,
    cut_runs,
    empty_wal,
    forget_run,
    index_words,
    vacuum,
)
from unbraid.log.sqlite.file import (
    MIGRATIONS,
    Alone,
    FileErrors,
    Readers,
    Writer,
    migrate,
    open_reader,
    open_writer,
    set_version,
)
from unbraid.log.sqlite.reader import SqliteReader, search_results, unindexed
from unbraid.read.chunk import Chunk
from unbraid.system.home import make_private_folder
from unbraid.system.tasks import cancel_task
from unbraid.timings import SQLITE_BUSY_TIMEOUT_SECONDS

# A health check waits this long for its write, and then judges by the time of the last commit.
SLOW_COMMIT_SECONDS = 0.2
# Who deletes much pauses for this long between transactions: SQLite lets whoever asks at the right
# moment write, and other processes ask every 0.1 seconds.
WRITER_PAUSE_SECONDS = 0.11
# Commits of other processes are looked for often for a while after each, and seldom otherwise.
LOG_LIVELY_SECONDS = 5.0
LOG_LIVELY_POLL_SECONDS = 0.05
LOG_IDLE_POLL_SECONDS = 0.2

# Fewer than there are readers: a search may take long.
SEARCHES_TOGETHER = 2
CHECKPOINT_TRIES = 10


class SqliteLog(SqliteReader):
    """A log in one SQLite file. Made by `SqliteLog.open`."""

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float = SQLITE_BUSY_TIMEOUT_SECONDS,
        is_copy: bool = False,
    ) -> None:
        self._path, self._address = path, str(path)
        self._version = 0  # of the file, as the writer knows it
        self.appender = Appender()
        errors = FileErrors(path, is_copy=is_copy)
        self._readers = Readers(path, errors)
        super().__init__(self._readers)
        with errors.named():
            connection = open_writer(path, busy_seconds=busy_seconds, durable=not is_copy)
            try:
                migrate(connection, self._address)
                self._watched = open_reader(path)
                self._file = path.stat()
            except BaseException:
                connection.close()
                raise
        self.writer = Writer(
            connection,
            self._address,
            errors,
            on_begin=self._begin,
            on_commit=self.signal.change,
            on_rollback=self.appender.forget,
        )
        self._searches = asyncio.Semaphore(SEARCHES_TOGETHER)
        self._watcher = asyncio.create_task(self._watch())

    @classmethod
    async def open(
        cls,
        path: Path | str,
        *,
        busy_seconds: float = SQLITE_BUSY_TIMEOUT_SECONDS,
        is_copy: bool = False,
    ) -> SqliteLog:
        """Opens the log in the file `path`, creating or upgrading it as needed. With `is_copy`, the
        file can be built again: it may lose its last commits in a power cut.
        """
        return cls(_created(Path(path)), busy_seconds=busy_seconds, is_copy=is_copy)

    @classmethod
    async def open_url(
        cls, url: str, env: Mapping[str, str], *, even_away: bool = False
    ) -> SqliteLog:
        """Opens the file of `sqlite:///path`."""
        place = url.partition(":")[2]
        path = place.removeprefix("//")
        if not place.startswith("///") or not path.strip("/"):
            raise unknown_address(url)
        return await cls.open(path)

    def _begin(self, connection: sqlite3.Connection) -> None:
        # SQLite continues to write to a file that was deleted: all of it would be acknowledged, and
        # gone with the process.
        if (replaced := self.replaced()) is not None:
            raise replaced
        # Until the end of this transaction no other process can write.
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self.appender.forget()

    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        lines = await checked_append(run, events, offsets or {})
        return await self.writer.submit(
            self.appender.append, run, lines, offsets=dict(offsets or {}), chunks=chunks
        )

    def leases(self) -> FileLeases:
        """Returns leases on the runs of this file: locks in the folder beside it."""
        return FileLeases(self._path.parent)

    async def cut(self, runs: Sequence[str]) -> list[str]:
        """Takes away the events of these runs, a bounded number in each transaction."""
        left, cut = list(runs), list[str]()
        while left:
            cut += await self.writer.submit(cut_runs, left)
            if left:
                await asyncio.sleep(WRITER_PAUSE_SECONDS)
        return cut

    async def forget(self, run: str) -> None:
        await self.writer.submit(forget_run, run)

    async def vacuum(self) -> None:
        """Shrinks the file to what it holds."""
        left = await self.writer.submit(clean_index, begin=True)
        while left:
            await asyncio.sleep(WRITER_PAUSE_SECONDS)
            left = await self.writer.submit(clean_index, begin=False)
        await self.writer.submit(Alone(vacuum))
        # Beside a reader that stays, the WAL keeps its size until a later checkpoint finds none.
        for _ in range(CHECKPOINT_TRIES):
            if await self.writer.submit(Alone(empty_wal)):
                break
            await asyncio.sleep(WRITER_PAUSE_SECONDS)

    async def check(self) -> None:
        """Raises LogError unless something can be written: reading still works on a disk that is
        full.
        """
        # A check must not wait for megabytes of other callers: that those are written is the
        # answer.
        if self.writer.keeps_up:
            return
        # The first page is written anew, even with the number that it has.
        version = len(MIGRATIONS)
        writing = self.writer.submit(set_version, version)
        writing.add_done_callback(_retrieve_error)
        # It does not wait for a disk, either, that is slow at the moment and has just stored
        # others.
        await asyncio.wait([writing], timeout=SLOW_COMMIT_SECONDS)
        if writing.done() or not self.writer.keeps_up:
            await writing

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        if await self.readers.read(unindexed):
            await self.writer.submit(index_words)
        async with self._searches:
            return await search_results(self.readers, query, run=run, limit=limit)

    def replaced(self) -> LogUnusable | None:
        """Returns why nothing more can come: the file was deleted or replaced while it was open,
        and other processes write elsewhere now.
        """
        with suppress(OSError):
            if samestat(self._path.stat(), self._file):
                return None
        return LogUnusable(self._address, "io", "the log was deleted or replaced meanwhile")

    async def close(self) -> None:
        await cancel_task(self._watcher)
        await self.writer.close()
        await self._readers.close()
        self._watched.close()

    async def _watch(self) -> None:
        seen, changed = None, time.monotonic()
        while True:
            # Poll only while something follows the log: a process that only writes sleeps
            # meanwhile.
            await self.signal.has_waiters.wait()
            lively = time.monotonic() - changed < LOG_LIVELY_SECONDS
            await asyncio.sleep(LOG_LIVELY_POLL_SECONDS if lively else LOG_IDLE_POLL_SECONDS)
            # A look at shared memory, no disk: cheap enough for the event loop itself.
            with suppress(Exception):
                version = self._watched.execute("PRAGMA data_version").fetchone()[0]
                if version != seen:
                    seen, changed = version, time.monotonic()
                    self.signal.change()


def _created(path: Path) -> Path:
    try:
        # Agents' words are private: no other user of the machine may read them.
        make_private_folder(path.parent)
        path.touch(mode=0o600)
    except OSError as error:
        problem = f"cannot be created or written ({error.strerror})"
        raise LogUnusable(str(path), "io", problem) from error
    return path


def _retrieve_error(writing: asyncio.Future[None]) -> None:
    """Retrieves the exception of a write whose caller may be gone, so that asyncio does not report
    it.
    """
    if not writing.cancelled():
        writing.exception()
