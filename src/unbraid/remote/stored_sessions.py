"""The stored sessions that another unbraid server lists with the runs of its log."""

from __future__ import annotations

from unbraid.agents.port import SearchHit
from unbraid.log.summary import RunSummary
from unbraid.remote.log import MAX_RUNS, RemoteLog
from unbraid.timings import REMOTE_LIST_REFRESH_SECONDS


class RemoteStoredSessions:
    """The sessions that are not in the server's log. The server gives them in its answers to what
    its log is asked for, so an answer that is not old is used again.
    """

    def __init__(self, log: RemoteLog) -> None:
        self._log = log

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = MAX_RUNS,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns sessions that are not in the server's log, last started first."""
        found = await self._log.all_runs(
            status=status,
            matching=matching,
            limit=limit,
            before=before,
            max_age_seconds=REMOTE_LIST_REFRESH_SECONDS,
        )
        return [run for run in found if run.last_seq == 0]

    async def open(self, name: str) -> RunSummary | None:
        """Returns the run of a session, which the server imports into its log."""
        return await self._log.run(name)

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns where it was said in sessions that are not in the log, newest first."""
        found = await self._log.search_all(query, max_age_seconds=REMOTE_LIST_REFRESH_SECONDS)
        hits = found.history[:limit]
        if redact:
            from unbraid.redact.matches import redact_hits

            return redact_hits(hits, query)
        return hits
