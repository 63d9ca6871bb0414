"""The recent frames of one run (or of all runs), shared by its viewers.

A viewer holds a position (a seq, or a cursor over all runs) and nothing else. Those that keep up
take the same bytes from here; the backlog of one that does not is the same window, so it is
bounded, and a thousand slow viewers cost no more memory than one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING

from unbraid.log.entry import Entry
from unbraid.serve.hub.frames import Form, Frame

if TYPE_CHECKING:
    from unbraid.serve.hub.viewer import Viewer

# One write is at most about this: what a transport holds for a viewer that stopped reading.
MAX_CHUNK_BYTES = 256 * 1024

_position = attrgetter("position")


class Channel:
    """A window of frames and the viewers that look through it."""

    def __init__(self, framing: Callable[[Entry], Frame], backlog_bytes: int) -> None:
        self.framing = framing
        self.viewers: set[Viewer] = set()
        # Counts what was pushed: who looked before and finds it changed looks again.
        self.version = 0
        # The window holds every frame after `floor`; None while it has never held any.
        self.floor: int | None = None
        self.last = 0
        self._backlog_bytes = backlog_bytes
        self._frames: list[Frame] = []
        self._bytes = 0
        self._chunks: dict[tuple[int, Form], tuple[bytes, list[Frame]]] = {}

    def push(self, entries: list[Entry]) -> None:
        """Adds the next entries and wakes the viewers; cuts off viewers that the window has left
        behind.
        """
        frames = [self.framing(entry) for entry in entries]
        # After a failure of the log, the feed may begin a little before where it was.
        frames = [frame for frame in frames if frame.position > self.last]
        if not frames:
            return
        if self.floor is None:
            self.floor = frames[0].position - 1
        self._frames += frames
        self._bytes += sum(len(frame.sse) for frame in frames)
        self.last = frames[-1].position
        self._chunks.clear()
        self._trim()
        self.version += 1
        for viewer in self.viewers:
            viewer.wake()

    def holds_after(self, position: int) -> bool:
        """Returns whether every frame after `position` that there is, is here."""
        return self.floor is not None and position >= self.floor

    @property
    def is_over(self) -> bool:
        """Whether the newest frame is the end of a run."""
        return bool(self._frames) and self._frames[-1].type == "done"

    def chunk(self, position: int, form: Form) -> tuple[bytes, list[Frame]]:
        """Returns the frames after `position`, joined once for all viewers that stand there, and as
        they are.
        """
        key = (position, form)
        found = self._chunks.get(key)
        if found is None:
            frames = self.slice(position)
            found = self._chunks[key] = (b"".join([frame.form(form) for frame in frames]), frames)
        return found

    def slice(self, position: int) -> list[Frame]:
        """Returns the frames after `position`, as many as one write takes, and at least one."""
        start = bisect_right(self._frames, position, key=_position)
        size, end = 0, start
        while end < len(self._frames) and size < MAX_CHUNK_BYTES:
            size += len(self._frames[end].sse)
            end += 1
        return self._frames[start:end]

    def _trim(self) -> None:
        count = 0
        # The newest frame stays even if it is larger than the whole window.
        while self._bytes > self._backlog_bytes and count < len(self._frames) - 1:
            self._bytes -= len(self._frames[count].sse)
            count += 1
        if count:
            self.floor = self._frames[count - 1].position
            del self._frames[:count]
            for viewer in list(self.viewers):
                viewer.left_behind(self.floor)
