"""The time at which things happen, as the records of a run say it."""

from __future__ import annotations

from unbraid.wire.record import milliseconds

# "2025-11-15T08:13:00.123Z": every record of some sources has a time of this form.
ISO_MILLISECONDS = len("2025-11-15T08:13:00.123Z")


class Clock:
    """The time of the latest record that has one; `ts` is in milliseconds since 1970, 0 if none.

    One clock is shared by all who translate a run, so that what they date agrees. Records that were
    held turn it back while they are translated, and the code that releases them sets it again.
    """

    __slots__ = ("_second", "_second_ms", "ts")

    def __init__(self) -> None:
        self.ts = 0
        self._second = ""
        self._second_ms = 0

    def set(self, stamp: str | int | float) -> None:
        """Sets the clock to a record's own time; one that cannot be read changes nothing."""
        if type(stamp) is str and len(stamp) == ISO_MILLISECONDS:
            # Neighbouring records share their second: it is parsed once.
            second = stamp[:19]
            if second != self._second:
                self._second = second
                self._second_ms = milliseconds(second + "Z")
            millis = stamp[20:23]
            self.ts = self._second_ms + (int(millis) if millis.isdecimal() else 0)
        else:
            self.ts = milliseconds(stamp) or self.ts
