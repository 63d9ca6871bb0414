"""What the view stands on: the log, what lies beside it, and the runs that can be steered."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from msgspec.structs import replace

from unbraid.errors import CallerError
from unbraid.hub.control import Controller, Controllers, Pending
from unbraid.live.archive import Archive
from unbraid.log.port import Found, LogReader, SearchableLog
from unbraid.log.summary import RunSummary
from unbraid.sources.search import Place

MANY = 500
ANSWER_SECONDS = 5.0


class Desk:
    """Everything that a view asks for; with `redact`, no secret is in it."""

    def __init__(
        self, log: LogReader, controllers: Controllers, archive: Archive, *, redact: bool = False
    ) -> None:
        self.log = _masked(log) if redact else log
        self._controllers, self._archive, self._redact = controllers, archive, redact

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
        found = await self._archive.search(words, limit=50)
        if self._redact:
            from unbraid.hub.shown import masked_snippet

            found = [replace(each, snippet=masked_snippet(each.snippet)) for each in found]
        return found

    async def steerable(self) -> dict[str, Controller]:
        """The runs that can be steered, of whoever answers in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._controllers.everywhere()
        return {}

    def shown(self, asked: Pending) -> Pending:
        """A request for leave, as it may be shown."""
        if not self._redact:
            return asked
        from unbraid.hub.shown import masked_struct

        return masked_struct(asked)


def _masked(log: LogReader) -> LogReader:
    # Here, so that whoever wants no masks does not wait for the patterns either.
    from unbraid.hub.shown import MaskedLog

    return MaskedLog(log)
