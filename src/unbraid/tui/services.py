"""What the view reads from: the log, sessions that are not in it, and the runs it can steer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from unbraid.agents.control_port import Controller, PermissionRequest
from unbraid.agents.port import SearchHit
from unbraid.control.controllers import Controllers
from unbraid.errors import CallerError
from unbraid.log.port import Found, LogReader, SearchableLog
from unbraid.log.summary import RunSummary
from unbraid.system.user import user_name
from unbraid.timings import STEERING_ANSWER_TIMEOUT_SECONDS

MANY = 500


class UnloggedSessions(Protocol):
    """Stored sessions that are not in the log yet, and can be imported into it."""

    async def runs(self, *, limit: int) -> list[RunSummary]:
        """Returns sessions that are not in the log, last started first."""
        ...

    async def open(self, name: str) -> RunSummary | None:
        """Imports a session into the log and returns its run; None if there is no such session."""
        ...

    async def search(self, query: str, *, limit: int, redact: bool) -> list[SearchHit]:
        """Returns the matches in sessions that are not in the log, newest first; with `redact`, in
        what may be shown of them.
        """
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
        """Returns the runs of the log, last started first."""
        return await self.log.runs(limit=MANY)

    async def unlogged(self) -> list[RunSummary]:
        """Returns the sessions that are not in the log, last started first."""
        found = await self._beside.runs(limit=MANY)
        if self._redact:
            from unbraid.redact.reader import redact_summary

            found = [redact_summary(run) for run in found]
        return found

    async def open(self, name: str) -> str:
        """Returns the name of the run; a session that is not in the log yet is imported."""
        if await self.log.run(name) is not None:
            return name
        opened = await self._beside.open(name)
        if opened is None:
            raise CallerError(f"run or session not found: {name}")
        return opened.run

    async def search(self, words: str) -> list[Found]:
        """Returns the matches in the log, best first."""
        if not isinstance(self.log, SearchableLog):
            return []
        return await self.log.search(words, limit=100)

    async def search_unlogged(self, words: str) -> list[SearchHit]:
        """Returns the matches in sessions that are not in the log, newest first."""
        return await self._beside.search(words, limit=50, redact=self._redact)

    async def steerable(self) -> dict[str, Controller]:
        """Returns the runs that can be steered; a process that does not answer in time is
        left out.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(STEERING_ANSWER_TIMEOUT_SECONDS):
                return await self._controllers.everywhere()
        return {}

    async def attend(self, seconds: float) -> None:
        """Says that somebody answers permission requests here for so long."""
        await self._controllers.attend(f"{user_name()} in top", seconds)

    def redacted_request(self, asked: PermissionRequest) -> PermissionRequest:
        """Returns a permission request as it may be shown: redacted if that was asked for."""
        if not self._redact:
            return asked
        from unbraid.redact.reader import redact_struct

        return redact_struct(asked)


def _redacted(log: LogReader) -> LogReader:
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedReader

    return RedactedReader(log)
