"""What faces ask of stored sessions that are not in the log, on this machine or on a server."""

from __future__ import annotations

from typing import Protocol

from unbraid.agents.port import SearchHit
from unbraid.log.summary import RunSummary


class StoredSessions(Protocol):
    """Sessions that are stored by their agents' CLIs and are not in the log."""

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns those found so far, selected and ordered as a log does with its runs."""
        ...

    async def open(self, name: str) -> RunSummary | None:
        """Returns the run of a session, which is imported into the log; None if there is none."""
        ...

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns the matches in them, newest first; with `redact`, in what may be shown of
        them.
        """
        ...
