"""A run's way into the log: events in the order in which they happened, many to a commit.

While one commit waits for the disk, the next events gather; so they do for some milliseconds after
a commit, because waking the log and its viewers costs more than a word does. A writer that is
faster than the disk waits at `room`, so that what is gathered stays small.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from unbraid.events import Done, FleetEvent
from unbraid.log.port import Log

# Deltas of one moment are one transaction.
JOURNAL_GATHER_SECONDS = 0.01

MAX_PENDING = 2048


class Journal:
    """Appends one run's events. `run` it in a task of its own."""

    def __init__(self, log: Log, run: str) -> None:
        self._log, self._run = log, run
        self._pending: list[FleetEvent] = []
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self.begun = asyncio.Event()

    def write(self, events: Sequence[FleetEvent]) -> None:
        """Queues events; they are durable a little later, in this order."""
        if events:
            self._pending.extend(events)
            self._wake.set()

    def add(self, event: FleetEvent) -> None:
        """Queues one more event."""
        if not self._pending:  # else it was woken for the others
            self._wake.set()
        self._pending.append(event)

    @property
    def full(self) -> bool:
        """Whether it is time to wait at `room`."""
        return len(self._pending) >= MAX_PENDING and not self._over

    async def room(self) -> None:
        """Waits until what is pending is being written."""
        while self.full:
            self._room.clear()
            await self._room.wait()

    async def run(self) -> None:
        """Appends until `done` is written. A LogError ends it: what was not written is lost."""
        over, loop = False, asyncio.get_running_loop()
        written = loop.time() - JOURNAL_GATHER_SECONDS
        try:
            while not over:
                await self._wake.wait()
                if (early := written + JOURNAL_GATHER_SECONDS - loop.time()) > 0 and not self.full:
                    await asyncio.sleep(early)
                self._wake.clear()
                events, self._pending = self._pending, []
                self._room.set()
                over = isinstance(events[-1], Done)
                await self._log.append(self._run, events)
                written = loop.time()
                self.begun.set()
        finally:
            # Nothing may wait for a writer that has ended.
            self._over = True
            self._room.set()
            self.begun.set()
