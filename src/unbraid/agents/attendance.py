"""Whether somebody answers permission requests here.

A request that shows nothing in a terminal while a hook holds it is held only if a person has said
that they answer here. That ends by itself: a page that was closed says nothing any more.
"""

from __future__ import annotations

import asyncio
import time

from unbraid.timings import ATTENDANCE_LONGEST_SECONDS


class Attendance:
    """Who answers here, and for how long they have said so."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._changed = asyncio.Event()

    def attend(self, who: str, seconds: float) -> None:
        """Notes that somebody answers here for so long; for 0 seconds, no longer."""
        now = time.monotonic()
        self._until = {name: until for name, until in self._until.items() if until > now}
        self._until.pop(who, None)
        if seconds > 0:
            self._until[who] = now + min(seconds, ATTENDANCE_LONGEST_SECONDS)
        self._changed.set()

    @property
    def seconds(self) -> float:
        """For how long somebody answers from now on; 0 if nobody does."""
        return max(0.0, max(self._until.values(), default=0.0) - time.monotonic())

    async def ended(self) -> None:
        """Waits until nobody answers any more."""
        while (left := self.seconds) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                continue
