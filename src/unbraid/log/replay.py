"""Replay, then live, without a gap or a repeat, over nothing but reads.

A follower that finds nothing new waits for the signal's next change *since before it read*. An
append that lands between the read and the wait has moved the signal on already, so the wait returns
at once: there is no moment in which an event can slip by, and no queue that could overflow.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

from unbraid.log.entry import Entry
from unbraid.log.port import LogReader, WholeLogReader


class Signal:
    """Wakes any number of waiters on one event loop when something has changed."""

    def __init__(self) -> None:
        self.version = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._wanted = asyncio.Event()

    async def awaited(self) -> None:
        """Waits until anyone waits."""
        while not self._waiting:
            self._wanted.clear()
            await self._wanted.wait()

    def change(self) -> None:
        """Wakes everyone."""
        self.version += 1
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def changed(self, version: int) -> None:
        """Waits until the version is no longer `version`."""
        while self.version == version:
            future = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            self._wanted.set()
            try:
                await future
            finally:
                self._waiting.discard(future)


def follow_run(log: LogReader, signal: Signal, run: str, since: int) -> AsyncIterator[list[Entry]]:
    """Yields the events of a run after the seq `since`, then those to come; ends after `done`.
    `signal` changes when anything is appended.
    """

    async def has_ended(seq: int) -> bool:
        summary = await log.run(run)
        return summary is not None and summary.over and seq >= summary.last_seq

    return _follow(
        signal,
        partial(log.read, run),
        since,
        position=lambda entry: entry.seq,
        has_ended=has_ended,
    )


async def follow_runs(
    log: WholeLogReader, signal: Signal, since: int | None
) -> AsyncIterator[list[Entry]]:
    """Yields the events of all runs after the cursor `since` (None: from now on), then those to
    come.
    """
    start = (await log.bounds())[1] if since is None else since
    async for batch in _follow(signal, log.read_all, start, position=lambda entry: entry.cursor):
        yield batch


async def _follow(
    signal: Signal,
    read: Callable[[int], Awaitable[list[Entry]]],
    since: int,
    *,
    position: Callable[[Entry], int],
    has_ended: Callable[[int], Awaitable[bool]] | None = None,
) -> AsyncIterator[list[Entry]]:
    """Yields what `read` gives after `since`, batch by batch, until nothing more can come
    (`has_ended`).
    """
    while True:
        version = signal.version
        batch = await read(since)
        if batch:
            yield batch
            since = position(batch[-1])
        elif has_ended is not None and await has_ended(since):
            return
        else:
            await signal.changed(version)
