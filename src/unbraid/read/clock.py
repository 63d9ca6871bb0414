"""The time at which things happen: as the records of a run say it, else as they arrive.

Some records have a time of their own, others do not. What is read while it happens can be dated by
its arrival; what was stored, or recorded and read later, cannot. Which of the two it is, the dated
records show: those of a live source arrive soon after their own time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unbraid.read.record import milliseconds
from unbraid.timings import LIVE_RECORD_MS


class Clock:
    """The time of the latest record; `ts` is in milliseconds since 1970, 0 if none is known. `own`
    is the latest that a record has given itself.

    One clock is shared by all who translate a run, so that what they date agrees. Records that were
    held turn it back while they are translated (`at`), and afterwards it is as it was.

    A recording that is played as if it happened now may begin with records that have no time and
    are dated by their arrival. All of its own times are then moved by the same distance, so that
    its durations are right.
    """

    __slots__ = (
        "_arrived",
        "_dated",
        "_guessed",
        "_moved",
        "_stored",
        "own",
        "ts",
    )

    def __init__(self) -> None:
        self.ts = 0
        self.own = 0
        self._arrived = 0  # when the records that are read now have arrived; 0 if unknown
        self._guessed = False  # whether a record was dated by its arrival
        self._dated = False  # whether a record had a time of its own
        self._stored = False  # whether the latest of those came long after its time
        self._moved = 0

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived."""
        self._arrived = now

    def set(self, stamp: str | int | float) -> None:
        """Sets the clock to a record's own time; one that cannot be read counts as none."""
        own = milliseconds(stamp)
        if not own:
            self.tick()
            return
        if own > self.own:
            self.own = own
        if self._arrived:
            self._compare(own)
        else:
            self.ts = own

    def tick(self) -> None:
        """Lets a record pass that has no time of its own: it happened when it arrived, if that is
        read live, and else when the record before it did.
        """
        if self._arrived > self.ts and not self._stored:
            self.ts = self._arrived
            self._guessed = True

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

    def _compare(self, own: int) -> None:
        if not self._dated:
            self._dated = True
            if self._guessed and self.ts - own > LIVE_RECORD_MS:
                self._moved = self.ts - own
        # What has arrived has happened: no time can be much later than the arrival.
        self.ts = min(own + self._moved, self._arrived + LIVE_RECORD_MS)
        self._stored = self._arrived - self.ts > LIVE_RECORD_MS
