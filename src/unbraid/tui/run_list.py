"""All runs: those of the log, and the stored sessions that are not in it."""

from __future__ import annotations

from unbraid.log.summary import RunSummary
from unbraid.tui.run_rows import sort_runs
from unbraid.tui.services import ViewServices


class RunList:
    """All runs, as of the last refresh."""

    def __init__(self, services: ViewServices) -> None:
        self._services = services
        self._bounds: tuple[int, int] | None = None
        self.logged: list[RunSummary] = []
        self.unlogged: list[RunSummary] = []

    async def refresh(self) -> None:
        """List the log's runs again, if it has grown."""
        bounds = await self._services.log.bounds()
        if bounds != self._bounds:
            self.logged, self._bounds = await self._services.runs(), bounds

    async def refresh_unlogged(self) -> None:
        """Lists the sessions that are not in the log again."""
        self.unlogged = await self._services.unlogged()

    async def open(self, name: str) -> str:
        """Imports a session if it is not in the log yet, and returns the name of its run."""
        run = await self._services.open(name)
        self.logged = await self._services.runs()
        return run

    def has(self, run: str) -> bool:
        """Returns whether a run is in the log."""
        return any(each.run == run for each in self.logged)

    def is_unlogged(self, run: str | None) -> bool:
        """Returns whether a run is a session that is not in the log."""
        return any(each.run == run for each in self.unlogged)

    def title(self, run: str) -> str:
        """Returns what a run is called."""
        return next((each.title for each in self.logged if each.run == run), None) or run

    def all(self) -> list[RunSummary]:
        """Returns each run once, in order."""
        known = {run.session_id or run.run for run in self.logged}
        known |= {run.run for run in self.logged}
        return sort_runs([*self.logged, *(run for run in self.unlogged if run.run not in known)])
