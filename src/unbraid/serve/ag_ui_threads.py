"""Which run of ours an AG-UI thread is in: its next request goes to the same master."""

from __future__ import annotations

MAX_THREADS = 1000


class AgUiThreads:
    """The latest run of each thread, of those that were used last."""

    def __init__(self) -> None:
        self._runs: dict[str, str] = {}

    def get(self, thread_id: str) -> str | None:
        """Returns the latest run of a thread."""
        return self._runs.get(thread_id)

    def put(self, thread_id: str, run: str) -> None:
        """Notes the latest run of a thread."""
        self._runs.pop(thread_id, None)
        self._runs[thread_id] = run
        while len(self._runs) > MAX_THREADS:
            del self._runs[next(iter(self._runs))]
