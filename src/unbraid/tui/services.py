"""What the view stands on: the log, what lies beside it, and the runs that can be steered."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from msgspec.structs import replace

from unbraid.agents.control_port import Controller, PermissionRequest
from unbraid.agents.port import SearchHit
from unbraid.control.controllers import Controllers
from unbraid.errors import CallerError
from unbraid.log.port import Found, LogReader, SearchableLog
from unbraid.log.summary import RunSummary
from unbraid.timings import STEERING_ANSWER_TIMEOUT_SECONDS

MANY = 500


class UnloggedSessions(Protocol):
    """What lies beside a log, and can be read into it."""

    async def runs(self, *, limit: int) -> list[RunSummary]:
        """Sessions that are not in the log, last started first."""
        ...

    async def open(self, name: str) -> RunSummary | None:
        """The run of a session, read into the log; None if there is none."""
        ...

    async def search(self, query: str, *, limit: int) -> list[SearchHit]:
        """Where it was said in sessions that are not in the log, newest first."""
        ...


class ViewServices:
    """Everything that a view asks for; with `redact`, no secret is in it."""

    def __init__(
        self,
        log: LogReader,
        controllers: Controllers,
        beside: UnloggedSessions,
        *,
        redact: bool = False,
    ) -> None:
        self.log = _redacted(log) if redact else log
        self._controllers, self._beside, self._redact = controllers, beside, redact

    async def runs(self) -> list[RunSummary]:
        """The runs of the log, last started first."""
        return await self.log.runs(limit=MANY)

    async def unlogged(self) -> list[RunSummary]:
        """Sessions that nobody has followed, last started first."""
        found = await self._beside.runs(limit=MANY)
        if self._redact:
            from unbraid.redact.reader import redact_summary

            found = [redact_summary(run) for run in found]
        return found

    async def open(self, name: str) -> str:
        """The run of that name; a session that is not in the log yet is read into it."""
        if await self.log.run(name) is not None:
            return name
        opened = await self._beside.open(name)
        if opened is None:
            raise CallerError(f"no run or session {name}")
        return opened.run

    async def search(self, words: str) -> list[Found]:
        """Places in the log where agents said it, best first."""
        if not isinstance(self.log, SearchableLog):
            return []
        return await self.log.search(words, limit=100)

    async def search_unlogged(self, words: str) -> list[SearchHit]:
        """Places in sessions that are not in the log, newest first."""
        found = await self._beside.search(words, limit=50)
        if self._redact:
            from unbraid.redact.reader import redact_snippet

            found = [replace(each, snippet=redact_snippet(each.snippet)) for each in found]
        return found

    async def steerable(self) -> dict[str, Controller]:
        """The runs that can be steered, of whoever answers in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STEERING_ANSWER_TIMEOUT_SECONDS):
                return await self._controllers.everywhere()
        return {}

    def redacted_request(self, asked: PermissionRequest) -> PermissionRequest:
        """A request for leave, as it may be shown."""
        if not self._redact:
            return asked
        from unbraid.redact.reader import redact_struct

        return redact_struct(asked)


def _redacted(log: LogReader) -> LogReader:
    # Here, so that whoever wants no redaction does not wait for the patterns either.
    from unbraid.redact.reader import RedactedReader

    return RedactedReader(log)
