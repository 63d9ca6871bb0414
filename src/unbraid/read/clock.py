"""The time at which things happen: as the records of a run say it, else as they arrive.

Some records have a time of their own, others do not. What is read while it happens can be dated by
its arrival; what was stored, or recorded and read later, cannot. Which of the two it is, the dated
records show: those of a live source arrive soon after their own time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from unbraid.read.record import milliseconds
from unbraid.timings import LIVE_RECORD_MS


class Clock(Struct):
    """The time of the latest record; `ts` is in milliseconds since 1970, 0 if none is known. `own`
    is the latest that a record has given itself.

    One clock is shared by all who translate a run, so that what they date agrees. Records that were
    held turn it back while they are translated (`at`), and afterwards it is as it was.

    A recording that is played as if it happened now may begin with records that have no time and
    are dated by their arrival. All of its own times are then moved by the same distance, so that
    its durations are right.
    """

    ts: int = 0
    own: int = 0
    arrived: int = 0  # when the records that are read now have arrived; 0 if unknown
    guessed: bool = False  # whether a record was dated by its arrival
    dated: bool = False  # whether a record had a time of its own
    stored: bool = False  # whether the latest of those came long after its time
    moved: int = 0

    def set(self, stamp: str | int | float) -> None:
        """Sets the clock to a record's own time; one that cannot be read counts as none."""
        own = milliseconds(stamp)
        if not own:
            self.tick()
            return
        if own > self.own:
            self.own = own
        if not self.arrived:
            self.ts = own
            return
        if not self.dated:
            self.dated = True
            if self.guessed and self.ts - own > LIVE_RECORD_MS:
                self.moved = self.ts - own
        # What has arrived has happened: no time can be much later than the arrival.
        self.ts = min(own + self.moved, self.arrived + LIVE_RECORD_MS)
        self.stored = self.arrived - self.ts > LIVE_RECORD_MS

    def tick(self) -> None:
        """Lets a record pass that has no time of its own: it happened when it arrived, if that is
        read live, and else when the record before it did.
        """
        if self.arrived > self.ts and not self.stored:
            self.ts = self.arrived
            self.guessed = True

    @contextmanager
    def at(self, ts: int) -> Iterator[None]:
        """Turns the clock to a time for as long as the context lasts, whatever the records that are
        translated in it set it to.
        """
        before, self.ts = self.ts, ts
        try:
            yield
        finally:
            self.ts = before
