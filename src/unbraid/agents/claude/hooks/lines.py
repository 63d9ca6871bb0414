"""What hooks have brought, on its way into the log of a session."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

from unbraid.timings import HOOK_CALL_SETTLE_SECONDS


class HookLines:
    """Lines of one session, in their order. They are put here by the event loop, and taken by the
    thread that reads the session's files.

    A request is asked before the call that it is about stands in the transcript: lines wait for
    that.
    """

    def __init__(self) -> None:
        self._lines: deque[tuple[float, bytes]] = deque()

    @property
    def is_waiting(self) -> bool:
        """Whether there are lines that were not taken."""
        return bool(self._lines)

    def put(self, line: bytes) -> None:
        """Adds a line."""
        self._lines.append((time.monotonic() + HOOK_CALL_SETTLE_SECONDS, line))

    def take(self) -> Iterator[bytes]:
        """Yields the lines that have waited for long enough."""
        while self._lines and self._lines[0][0] <= time.monotonic():
            yield self._lines.popleft()[1]
