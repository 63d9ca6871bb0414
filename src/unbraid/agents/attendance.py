"""Whether a person answers permission requests here.

Some requests are shown in no terminal while a hook holds them. They are held only while a person
has declared that they answer here. The declaration expires unless it is repeated; a page that was
closed repeats nothing.
"""

from __future__ import annotations

import asyncio
import time

from unbraid.timings import ATTENDANCE_LONGEST_SECONDS


class Attendance:
    """The people who answer here, and until when they have declared to do so."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._changed = asyncio.Event()

    def attend(self, who: str, seconds: float) -> None:
        """Notes that `who` answers here for so many seconds; 0 means no longer."""
        now = time.monotonic()
        self._until = {name: until for name, until in self._until.items() if until > now}
        self._until.pop(who, None)
        if seconds > 0:
            self._until[who] = now + min(seconds, ATTENDANCE_LONGEST_SECONDS)
        self._changed.set()

    @property
    def seconds(self) -> float:
        """For how many seconds from now a person answers; 0 if no person does."""
        return max(0.0, max(self._until.values(), default=0.0) - time.monotonic())

    async def ended(self) -> None:
        """Waits until no person answers any more."""
        while (left := self.seconds) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                continue
