"""Whether the log can append now, and how complete it is here, for anyone who asks."""

from __future__ import annotations

import asyncio
import math
import time

from msgspec import Struct

from unbraid.errors import LogError
from unbraid.log.port import Log, LogUnusable

# So often a server looks how complete its copy of a shared log is; a list waits no longer for it.
COPY_STATE_SECONDS = 1.0
COPY_STATE_WAIT_SECONDS = 0.1


class CopyState(Struct):
    """How complete a server's copy of a shared log is: how many records it `lacks`, if that is
    known, and why no more come: the log is `away`, has `lost` records, or the copy is `stuck`.
    """

    lacks: int | None = None
    problem: str | None = None


class LogHealth:
    """Checks a log, once for all requests at the same time: these need no token, and every check
    writes to the disk.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._checking: asyncio.Task[None] | None = None
        self._looking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._looking.set_result(None)
        self._looked_at, self._state = -math.inf, CopyState()

    async def check(self) -> None:
        """Raises LogError unless the log can append now."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._log.check())
        await asyncio.shield(self._checking)

    async def behind(self) -> int:
        """Returns how many records of a shared log this machine's copy lacks. Raises LogError
        unless the log can append now.
        """
        await self.check()
        state = await self._log.replication()
        if state is None:
            return 0
        if state.behind is None:
            raise LogUnusable("the log", "away", "its progress is unknown")
        return state.behind

    async def copy(self) -> CopyState | None:
        """Returns how complete this machine's copy of a shared log is, as it was a moment ago: a
        log that cannot be reached answers late, and no request should wait for that. None if the
        log is not a shared one.
        """
        if not self._log.shared:
            return None
        now = time.monotonic()
        if self._looking.done() and now - self._looked_at > COPY_STATE_SECONDS:
            self._looked_at = now
            self._looking = asyncio.ensure_future(self._look())
            await asyncio.wait([self._looking], timeout=COPY_STATE_WAIT_SECONDS)
        return self._state

    async def _look(self) -> None:
        try:
            found = await self._log.replication()
        except LogError:
            self._state = CopyState(None, "stuck")
            return
        if found is None:
            return
        problem = None if found.problem is None else "stuck"
        if found.lost:
            problem = "lost"
        elif not found.reachable:
            problem = "away"
        self._state = CopyState(found.behind, problem)
