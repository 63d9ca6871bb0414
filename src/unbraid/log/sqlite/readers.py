"""Reading connections, apart from the writer's: in WAL neither waits for the other."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from unbraid.log.port import LogUnusable
from unbraid.log.sqlite.connection import FileErrors, open_reader

T = TypeVar("T")

MAX_READERS = 4


class Readers:
    """A few threads that read, each with a connection while it does."""

    def __init__(self, path: Path, errors: FileErrors) -> None:
        self._path, self._errors = path, errors
        self._threads = ThreadPoolExecutor(MAX_READERS, thread_name_prefix="unbraid-log-reader")
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    async def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Runs a job that only reads, on one snapshot of the file, and returns its result."""
        if self._closed:
            raise LogUnusable(str(self._path), "closed", "the log is closed")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, job)

    async def close(self) -> None:
        """Waits for the reads that are running, then closes the connections."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        while self._idle:
            self._idle.pop().close()

    def _run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        with self._errors.named():
            # list.pop and list.append are atomic, and no two threads ever hold the same connection.
            connection = self._idle.pop() if self._idle else open_reader(self._path)
            try:
                # Without it every query would see a moment of its own, and a commit in between
                # would give a job the half of what belongs together.
                connection.execute("BEGIN")
                try:
                    return job(connection)
                finally:
                    # After some errors SQLite has ended it by itself.
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            finally:
                self._idle.append(connection)
