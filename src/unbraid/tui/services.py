"""What the view reads from: the log, all runs that it lists, and those that it can steer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from unbraid.agents.control_port import Controller
from unbraid.errors import CallerError
from unbraid.log.port import LogReader
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.all_runs import AbandonedRuns, AllRuns, StoredSessions, merge_runs
from unbraid.steer.controllers import Controllers
from unbraid.steer.permissions import OpenRequests, answerable_requests
from unbraid.system.home import user_name

# Of each: more than anyone scrolls through.
MAX_RUNS = 500


class ViewServices:
    """Everything that a view asks for, and the runs that there were when it last asked; with
    `redact`, no secret is in it.
    """

    def __init__(
        self,
        log: LogReader,
        controllers: Controllers,
        stored: StoredSessions | None,
        *,
        abandoned: AbandonedRuns | None = None,
        redact: bool = False,
        open_requests: Callable[[], Awaitable[OpenRequests]] | None = None,
    ) -> None:
        self.log = _redacted(log) if redact else log
        self.all_runs = AllRuns(self.log, stored=stored, abandoned=abandoned, redact=redact)
        self.logged: list[RunSummary] = []
        self.stored: list[RunSummary] = []
        self._state: object = None
        self._controllers, self._redact = controllers, redact
        self._open_requests = open_requests or partial(answerable_requests, self.log, controllers)

    async def refresh(self) -> None:
        """Lists the runs of the log again, if something has changed in them."""
        state = await self.all_runs.state()
        if state != self._state:
            self.logged, self._state = await self.all_runs.logged(limit=MAX_RUNS), state

    async def refresh_stored(self) -> None:
        """Lists the sessions that are not in the log again."""
        self.stored = await self.all_runs.stored(limit=MAX_RUNS)

    def runs(self) -> list[RunSummary]:
        """Returns each run once, as of the last refresh: live ones as they began, which does not
        change while they work; then the others, latest first.
        """
        runs = merge_runs(self.logged, self.stored)
        live = [run for run in runs if not run.over]
        over = [run for run in runs if run.over]
        live.sort(key=lambda run: (-run.started, run.run))
        over.sort(key=lambda run: (-run.updated, run.run))
        return live + over

    def logged_run(self, name: str) -> RunSummary | None:
        """Returns a run of the log, as of the last refresh."""
        return next((run for run in self.logged if run.run == name), None)

    async def open(self, name: str) -> str:
        """Returns the name of the run; a session that is not in the log yet is imported."""
        opened = await self.all_runs.run(name)
        if opened is None:
            raise CallerError(f"run or session not found: {name}")
        self.logged = await self.all_runs.logged(limit=MAX_RUNS)
        return opened.run

    async def steerable(self) -> dict[str, Controller]:
        """Returns the runs that can be steered."""
        return await self._controllers.everywhere()

    async def open_requests(self) -> OpenRequests:
        """Returns the permission requests that can be answered, as they may be shown: redacted if
        that was asked for.
        """
        found = await self._open_requests()
        if self._redact:
            from unbraid.redact.reader import redact_struct

            found.requests = [redact_struct(each) for each in found.requests]
        return found

    async def attend(self, seconds: float) -> None:
        """Declares that a person answers permission requests here for so long."""
        await self._controllers.attend(f"{user_name()} in top", seconds)


def _redacted(log: LogReader) -> LogReader:
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedReader

    return RedactedReader(log)
