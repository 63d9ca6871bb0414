"""What the view stands on: the log, what lies beside it, and the runs that can be steered."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from unbraid.errors import CallerError
from unbraid.hub.control import Controller, Controllers
from unbraid.live.archive import Archive
from unbraid.log.port import Found, Log, SearchableLog
from unbraid.log.summary import RunSummary
from unbraid.sources.search import Place

MANY = 500
ANSWER_SECONDS = 5.0


class Desk:
    """Everything that a view asks for."""

    def __init__(self, log: Log, controllers: Controllers, archive: Archive) -> None:
        self.log = log
        self._controllers, self._archive = controllers, archive

    async def runs(self) -> list[RunSummary]:
        """The runs of the log, last started first."""
        return await self.log.runs(limit=MANY)

    async def unlogged(self) -> list[RunSummary]:
        """Sessions that nobody has followed, last started first."""
        return await self._archive.runs(limit=MANY)

    async def open(self, name: str) -> str:
        """The run of that name; a session that is not in the log yet is read into it."""
        if await self.log.run(name) is not None:
            return name
        opened = await self._archive.open(name)
        if opened is None:
            raise CallerError(f"no run or session {name}")
        return opened.run

    async def search(self, words: str) -> list[Found]:
        """Places in the log where agents said it, best first."""
        if not isinstance(self.log, SearchableLog):
            return []
        return await self.log.search(words, limit=100)

    async def search_unlogged(self, words: str) -> list[Place]:
        """Places in sessions that are not in the log, newest first."""
        return await self._archive.search(words, limit=50)

    async def steerable(self) -> dict[str, Controller]:
        """The runs that can be steered, of whoever answers in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._controllers.everywhere()
        return {}
