"""All runs that a face shows: those of the log, and the stored sessions that are not in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from unbraid.agents.port import SearchHit
from unbraid.log.port import Found, LogReader
from unbraid.log.summary import RunSummary, select_runs
from unbraid.record.sessions.all_runs import AbandonedRuns, StoredSessions, with_status_of

# Those of one machine or user are chosen from so many results.
MAX_RESULTS_TO_FILTER = 1000


def merge_runs(logged: Iterable[RunSummary], stored: Iterable[RunSummary]) -> list[RunSummary]:
    """Returns the runs of the log and the sessions that are not in it, last started first."""
    found = {run.run: run for run in logged}
    known = found.keys() | {run.session_id for run in found.values()}
    found |= {run.run: run for run in stored if run.run not in known}
    return sorted(found.values(), key=lambda run: (run.started, run.run), reverse=True)


class AllRuns:
    """The runs of a log, of stored sessions and of abandoned ones, in one list. `log` is what may
    be shown; with `redact`, stored sessions are redacted, too.
    """

    def __init__(
        self,
        log: LogReader,
        *,
        stored: StoredSessions | None = None,
        abandoned: AbandonedRuns | None = None,
        redact: bool = False,
    ) -> None:
        self._log, self._stored, self._abandoned = log, stored, abandoned
        self._redact = redact

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns a page of all runs, last started first; `before` is the `page` of the last one
        seen.
        """
        which: dict[str, Any] = {
            "status": status,
            "matching": matching,
            "limit": limit,
            "before": before,
        }
        return merge_runs(await self.logged(**which), await self.stored(**which))[:limit]

    async def logged(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns the runs of the log, last started first. Abandoned runs are selected by the
        status that is shown of them.
        """
        sessions = {} if self._abandoned is None else await self._abandoned.sessions()
        found: list[RunSummary] = []
        last = before
        while len(found) < limit:
            page = await self._log.runs(status=status, matching=matching, limit=limit, before=last)
            found += [run for run in page if run.run not in sessions]
            if len(page) < limit:
                break
            last = page[-1].page
        known = {name: await self._log.run(name) for name in sessions}
        abandoned = [with_status_of(run, sessions[name]) for name, run in known.items() if run]
        found += select_runs(abandoned, status=status, matching=matching, before=before)
        return merge_runs(found, ())[:limit]

    async def stored(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns the stored sessions that are not in the log, last started first."""
        if self._stored is None:
            return []
        found = await self._stored.runs(
            status=status, matching=matching, limit=limit, before=before
        )
        if self._redact:
            from unbraid.redact.reader import redact_summary

            found = [redact_summary(run) for run in found]
        return found

    async def state(self) -> object:
        """Returns what differs from the last time whenever the runs of the log are to be listed
        again.
        """
        sessions = {} if self._abandoned is None else await self._abandoned.sessions()
        statuses = {run: (session.status, session.waiting) for run, session in sessions.items()}
        return await self._log.bounds(), statuses

    async def run(self, name: str) -> RunSummary | None:
        """Returns one run as it is now; a stored session is imported. None if there is none."""
        if self._abandoned is not None:
            await self._abandoned.record_rest(name)
        found = await self._log.run(name)
        if found is not None:
            return found if self._abandoned is None else await self._abandoned.shown(found)
        return None if self._stored is None else await self._stored.open(name)

    async def search(
        self,
        query: str,
        *,
        run: str | None = None,
        machine: str | None = None,
        user: str | None = None,
        limit: int = 20,
    ) -> AsyncIterator[Sequence[Found | SearchHit]]:
        """Yields up to `limit` results: those of the log at once, best first; then those of stored
        sessions that are not in it, newest first, which takes longer. With a `machine` or `user`,
        only those of their runs; sessions that are not in the log have neither.
        """
        filtered = machine is not None or user is not None
        most = MAX_RESULTS_TO_FILTER if filtered else limit
        logged = await self._log.search(query, run=run, limit=most)
        if filtered:
            runs = [await self._log.run(name) for name in {found.run for found in logged}]
            theirs = {
                each.run
                for each in runs
                if each and machine in (None, each.machine) and user in (None, each.user)
            }
            logged = [found for found in logged if found.run in theirs][:limit]
        yield logged
        rest = limit - len(logged)
        if self._stored is not None and run is None and not filtered and rest > 0:
            yield await self._stored.search(query, limit=rest, redact=self._redact)
