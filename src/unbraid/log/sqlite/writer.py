"""The one writer: a thread that owns the connection and commits whatever has gathered, in one
transaction.

While one commit waits for the disk, the next appends queue up; they all share the next sync. So
durability costs one sync per group, and the group grows by itself with the load. A job is answered
only after its commit.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from unbraid.errors import UnbraidError
from unbraid.log.port import LogUnusable
from unbraid.log.sqlite.connection import FileErrors
from unbraid.timings import COMMIT_FRESH_SECONDS, TRANSACTION_SECONDS

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], Any]

MAX_GROUP = 256


@dataclass(slots=True)
class _Order:
    job: Job
    answer: asyncio.Future[Any]
    alone: bool
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
        self, job: Callable[[sqlite3.Connection], T], *, alone: bool = False
    ) -> asyncio.Future[T]:
        """Runs a job in a transaction (or `alone`, outside of any). The returned future is done
        once the transaction is committed.

        A caller that gives up cancels only its answer; what is being written is written.
        """
        if self._closed:
            raise LogUnusable(self._address, "closed", "the log is closed")
        answer: asyncio.Future[T] = self._loop.create_future()
        self._unanswered += 1
        self._queue.put(_Order(job, answer, alone))
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
            shared = [order for order in group if not order.alone]
            while shared:
                count = self._commit(shared)
                self._answer(shared[:count])
                shared = shared[count:]
            for order in group:
                if order.alone:
                    self._run_alone(order)
                    self._answer([order])
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
                count += 1
                try:
                    order.outcome, order.error = order.job(self._connection), None
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

    def _run_alone(self, order: _Order) -> None:
        try:
            order.outcome = order.job(self._connection)
        except Exception as error:
            order.error = self._errors.in_our_words(error)

    def _answer(self, group: list[_Order]) -> None:
        def deliver() -> None:
            self._on_commit()
            self._unanswered -= len(group)
            for order in group:
                if order.answer.done():
                    continue
                if order.error is None:
                    order.answer.set_result(order.outcome)
                else:
                    order.answer.set_exception(order.error)

        # If the loop is closed, no caller is left to answer.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(deliver)
