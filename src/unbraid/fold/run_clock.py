"""The times of a run's events.

`ts` of a run's first event is the smallest and that of its last the largest, and in a stream it
never runs back, whatever the sources say. A time that would break this is moved to the next one
that does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from unbraid.events import RelayEvent
from unbraid.fold.streams import FleetStream
from unbraid.timings import LIVE_RECORD_MS

# Reported durations above this are ignored.
MAX_DURATION_MS = 366 * 24 * 3_600_000


class RunClock:
    """Determines the time of the next event; `ts` is in milliseconds since 1970.

    `latest` is the largest time so far.
    """

    __slots__ = ("_began", "_lasted", "_live", "_now", "latest", "ts")

    def __init__(self, began_ms: int = 0) -> None:
        self.ts = began_ms
        self.latest = 0
        self._now = 0  # when what is placed has arrived; 0 if that is unknown
        self._began: int | None = None
        self._lasted = 0  # for how long the main agent has worked, as it says
        self._live = True  # whether what was placed last had just happened

    def arrive(self, events: Sequence[RelayEvent], now: int) -> None:
        """Notes when events have arrived."""
        self._now = now
        if now and self._began is None:
            # What has no time precedes what has one.
            self.ts = min(next((event.ts for event in events if event.ts), now), now)
            self._live = now - self.ts <= LIVE_RECORD_MS

    def date(self, event: RelayEvent) -> None:
        """Sets the clock to an event."""
        if event.ts:
            self.ts = event.ts
            self._live = self._now - event.ts <= LIVE_RECORD_MS
        elif self._live and self._began is not None:
            self.ts = self._now or self.ts

    def stamp(self, stream: FleetStream) -> int:
        """Returns the time of an event that is placed in a stream."""
        ts = self.ts
        if ts < stream.latest:
            ts = stream.latest
        else:
            stream.latest = ts
        if stream.began is None:
            stream.began = ts
            if self._began is None:
                self._began = ts
        if ts > self.latest:
            self.latest = ts
        return ts

    def lasted(self, stream: FleetStream, duration_ms: int | None) -> None:
        """Uses the duration that an agent reports to date the end of its work: in a recorded
        stream, only some records have times. A live stream that was seen to last about as long
        keeps its arrival times, and a stream that resumes another is left out, because its duration
        may include the earlier one.
        """
        if duration_ms is None or duration_ms > MAX_DURATION_MS or stream.resumes is not None:
            return
        if stream.id == 0:
            self._lasted = max(self._lasted, duration_ms)
        if stream.began and not (self._live and duration_ms <= 2 * (self._now - stream.began)):
            self.ts = max(self.ts, stream.began + duration_ms)

    def end(self, now: int) -> None:
        """Sets the clock to the end of the run: now, if what was placed last had just happened."""
        self.ts = max(self.latest, now if self._live else 0)

    def duration_ms(self) -> int | None:
        """Returns how long the run has lasted, at its end; None if that is not known."""
        return self.ts - self._began if self._began else self._lasted or None
