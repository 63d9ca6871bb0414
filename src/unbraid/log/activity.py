"""How busy a run was over its time, in a few numbers, however long it runs."""

from __future__ import annotations

from msgspec import Struct, field

SPANS = 32
FIRST_SPAN_MS = 125


class Activity(Struct):
    """Events in up to `SPANS` equal spans of time since the run's start. When the run outgrows
    them, they become twice as long.
    """

    span_ms: int = FIRST_SPAN_MS
    counts: list[int] = field(default_factory=list)

    def add(self, since_start_ms: int) -> None:
        """Count one more event."""
        index = since_start_ms // self.span_ms
        if 0 <= index < len(self.counts):
            self.counts[index] += 1
            return
        since_start_ms = max(0, since_start_ms)
        while since_start_ms >= SPANS * self.span_ms:
            self.span_ms *= 2
            pairs = zip(self.counts[::2], [*self.counts[1::2], 0], strict=False)
            self.counts = [first + second for first, second in pairs]
        index = since_start_ms // self.span_ms
        self.counts.extend([0] * (index + 1 - len(self.counts)))
        self.counts[index] += 1
