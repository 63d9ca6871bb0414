"""A run's way into the log: events in the order in which they happened, many to a commit.

While one commit waits for the disk, the next events gather. Whoever writes faster than the disk
waits at `room`, so that what is gathered stays small.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from unbraid.events import FleetEvent
from unbraid.log.port import Log

MAX_PENDING = 2048


class Journal:
    """Appends one run's events. `run` it in a task of its own."""

    def __init__(self, log: Log, run: str) -> None:
        self._log, self._run = log, run
        self._pending: list[FleetEvent] = []
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self.begun = asyncio.Event()

    def write(self, events: Sequence[FleetEvent]) -> None:
        """Take events in; they are durable a little later, in this order."""
        if events:
            self._pending.extend(events)
            self._wake.set()
            if len(self._pending) >= MAX_PENDING:
                self._room.clear()

    async def room(self) -> None:
        """Wait while too much is pending."""
        if not self._room.is_set():
            await self._room.wait()

    async def run(self) -> None:
        """Append until `done` is written. A LogError ends it: what was not written is lost."""
        over = False
        try:
            while not over:
                await self._wake.wait()
                self._wake.clear()
                events, self._pending = self._pending, []
                self._room.set()
                over = events[-1].type == "done"
                await self._log.append(self._run, events)
                self.begun.set()
        finally:
            # Nobody may wait for a writer that is gone.
            self._room.set()
            self.begun.set()
