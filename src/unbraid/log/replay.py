"""Replay, then live, without a gap or a repeat, over nothing but reads.

A follower that finds nothing new waits for the signal's next change *since before it read*. An
append that lands between the read and the wait has moved the signal on already, so the wait returns
at once: there is no moment in which an event can slip by, and no queue that could overflow.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from unbraid.log.entry import Entry


class Signal:
    """Wakes any number of waiters on one event loop when something has changed."""

    def __init__(self) -> None:
        self.version = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._wanted = asyncio.Event()

    async def awaited(self) -> None:
        """Wait until anyone waits."""
        while not self._waiting:
            self._wanted.clear()
            await self._wanted.wait()

    def change(self) -> None:
        """Wake everyone."""
        self.version += 1
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def changed(self, version: int) -> None:
        """Wait until the version is no longer `version`."""
        while self.version == version:
            future = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            self._wanted.set()
            try:
                await future
            finally:
                self._waiting.discard(future)


async def follow_reads(
    signal: Signal,
    read: Callable[[int], Awaitable[list[Entry]]],
    since: int,
    place: Callable[[Entry], int],
    ended: Callable[[int], Awaitable[bool]] | None = None,
) -> AsyncIterator[list[Entry]]:
    """Yields what `read` gives after `since`, batch by batch, until nothing more can come
    (`ended`).
    """
    while True:
        version = signal.version
        batch = await read(since)
        if batch:
            yield batch
            since = place(batch[-1])
        elif ended is not None and await ended(since):
            return
        else:
            await signal.changed(version)
