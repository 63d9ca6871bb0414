"""All runs: those of the log, and the stored sessions that are not in it."""

from __future__ import annotations

from unbraid.log.summary import RunSummary
from unbraid.record.sessions.all_runs import merge_runs
from unbraid.tui.run_rows import sort_runs
from unbraid.tui.services import ViewServices

# Of each: more than anyone scrolls through.
MAX_RUNS = 500


class RunList:
    """All runs, as of the last refresh."""

    def __init__(self, services: ViewServices) -> None:
        self._services, self._all_runs = services, services.all_runs
        self._state: object = None
        self.logged: list[RunSummary] = []
        self.stored: list[RunSummary] = []

    async def refresh(self) -> None:
        """Lists the runs of the log again, if something has changed in them."""
        state = await self._all_runs.state()
        if state != self._state:
            self.logged, self._state = await self._all_runs.logged(limit=MAX_RUNS), state

    async def refresh_stored(self) -> None:
        """Lists the sessions that are not in the log again."""
        self.stored = await self._all_runs.stored(limit=MAX_RUNS)

    async def open(self, name: str) -> str:
        """Imports a session if it is not in the log yet, and returns the name of its run."""
        run = await self._services.open(name)
        self.logged = await self._all_runs.logged(limit=MAX_RUNS)
        return run

    def has(self, run: str) -> bool:
        """Returns whether a run is in the log."""
        return any(each.run == run for each in self.logged)

    def is_stored(self, run: str | None) -> bool:
        """Returns whether a run is a session that is not in the log."""
        return any(each.run == run for each in self.stored)

    def title(self, run: str) -> str:
        """Returns what a run is called."""
        return next((each.title for each in self.logged if each.run == run), None) or run

    def all(self) -> list[RunSummary]:
        """Returns each run once, in order."""
        return sort_runs(merge_runs(self.logged, self.stored))
