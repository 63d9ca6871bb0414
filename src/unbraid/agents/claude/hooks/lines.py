"""Lines made from hook calls, queued for the log of one session."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

from unbraid.timings import HOOK_CALL_SETTLE_SECONDS


class HookLines:
    """Lines of one session, in their order. They are put here by the event loop, and taken by the
    thread that reads the session's files.

    A request comes before its call is in the transcript, so it waits for the call. Its answer does
    not wait: the result of the call is written soon after.
    """

    def __init__(self) -> None:
        self._lines: deque[tuple[float, bytes]] = deque()
        self._answered = 0.0  # when the latest answer was put here

    @property
    def is_waiting(self) -> bool:
        """Whether there are lines that were not taken."""
        return bool(self._lines)

    def ask(self, line: bytes) -> None:
        """Adds a request."""
        self._lines.append((time.monotonic(), line))

    def answer(self, line: bytes) -> None:
        """Adds the answer to a request that was added before."""
        self._answered = time.monotonic()
        self._lines.append((self._answered, line))

    def take_answers(self) -> Iterator[bytes]:
        """Yields the answers, and the requests before them."""
        return self._until(self._answered)

    def take(self) -> Iterator[bytes]:
        """Yields the lines that have waited for long enough."""
        return self._until(time.monotonic() - HOOK_CALL_SETTLE_SECONDS)

    def _until(self, latest: float) -> Iterator[bytes]:
        while self._lines and self._lines[0][0] <= latest:
            yield self._lines.popleft()[1]
