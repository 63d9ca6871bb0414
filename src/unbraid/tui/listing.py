"""The runs that there are: those of the log, and sessions beside it that nobody has followed."""

from __future__ import annotations

from unbraid.log.summary import RunSummary
from unbraid.tui.desk import Desk
from unbraid.tui.runs import ordered


class Listing:
    """All runs, as they were when someone last looked."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bounds: tuple[int, int] | None = None
        self.logged: list[RunSummary] = []
        self.unlogged: list[RunSummary] = []

    async def look(self) -> None:
        """List the log's runs again, if it has grown."""
        bounds = await self._desk.log.bounds()
        if bounds != self._bounds:
            self.logged, self._bounds = await self._desk.runs(), bounds

    async def look_beside(self) -> None:
        """List again what lies beside the log."""
        self.unlogged = await self._desk.unlogged()

    async def open(self, name: str) -> str:
        """The run of that name, which is in the log from now on."""
        run = await self._desk.open(name)
        self.logged = await self._desk.runs()
        return run

    def has(self, run: str) -> bool:
        """Whether a run is in the log."""
        return any(each.run == run for each in self.logged)

    def beside(self, run: str | None) -> bool:
        """Whether a run is one beside the log."""
        return any(each.run == run for each in self.unlogged)

    def title(self, run: str) -> str:
        """What a run is called."""
        return next((each.title for each in self.logged if each.run == run), None) or run

    def all(self) -> list[RunSummary]:
        """Each run once, in order."""
        known = {run.session_id or run.run for run in self.logged}
        known |= {run.run for run in self.logged}
        return ordered([*self.logged, *(run for run in self.unlogged if run.run not in known)])
