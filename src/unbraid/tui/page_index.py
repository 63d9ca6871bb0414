"""Where the pages of each stream begin.

A view shows a few pages of one stream and reads them from the log when they are wanted, so what it
holds does not grow with the run. The log reads forwards only; the index makes going back as
cheap.
"""

from __future__ import annotations

from bisect import bisect_right

from unbraid.log.entry import Entry

PAGE_EVENTS = 400
PAGE_BYTES = 64 * 1024

# The events that become items of a conversation; the tree shows the others.
SHOWN = (
    "stream_start", "prompt", "text", "thinking", "tool_use", "tool_result", "tool_call",
    "permission_asked", "permission_replied", "turn_complete", "compacted", "retracted", "error",
    "sub_agent_response", "unrecognized", "malformed", "stream_end",
)  # fmt: skip


class PageIndex:
    """The first seq of every page, and the last seq there is, by stream."""

    def __init__(self) -> None:
        self.starts: dict[int, list[int]] = {}
        self.last: dict[int, int] = {}
        self.seq = 0
        self._filled: dict[int, tuple[int, int]] = {}

    def add(self, entry: Entry) -> None:
        """Adds an event of the run."""
        self.seq = entry.seq
        if entry.type not in SHOWN:
            return
        stream = entry.stream_id
        events, size = self._filled.get(stream, (PAGE_EVENTS, 0))
        if events >= PAGE_EVENTS or size >= PAGE_BYTES:
            self.starts.setdefault(stream, []).append(entry.seq)
            events, size = 0, 0
        self._filled[stream] = (events + 1, size + len(entry.data))
        self.last[stream] = entry.seq

    def pages(self, stream: int) -> int:
        """Returns how many pages a stream has."""
        return len(self.starts.get(stream, ()))

    def page_of(self, stream: int, seq: int) -> int:
        """Returns the page on which an event stands."""
        return max(0, bisect_right(self.starts.get(stream, ()), seq) - 1)

    def bounds(self, stream: int, first: int, last: int) -> tuple[int, int | None]:
        """Returns the seq that the pages begin with, and the one that follows them; None at the
        end.
        """
        starts = self.starts[stream]
        return starts[first], starts[last + 1] if last + 1 < len(starts) else None
