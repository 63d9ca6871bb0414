"""Whether the log can append now, for anyone who asks."""

from __future__ import annotations

import asyncio

from unbraid.log.port import Log, LogUnusable, SharedLog


class LogHealth:
    """Checks a log, once for all who ask at the same time: nobody has to sign in to ask, and every
    check writes to the disk.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._checking: asyncio.Task[None] | None = None

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
        if not isinstance(self._log, SharedLog):
            return 0
        state = await self._log.replication()
        if state.behind is None:
            raise LogUnusable("the log", "away", "its progress is unknown")
        return state.behind
