"""The session that a process moves to in the same terminal, by a command such as `/clear`."""

from __future__ import annotations

import asyncio

from unbraid.agents.process_port import MovingSource
from unbraid.launch.run_log import RunLog
from unbraid.record.followed_session import FollowedSession


class NextSession:
    """Follows the session that a process has now, if that is not the one it began with: each is a
    run of its own, as a watch would record it. It ends when the process moves to another one.
    """

    def __init__(self, source: MovingSource, run_log: RunLog) -> None:
        self._source, self._run_log = source, run_log
        self._session: str | None = None
        self._followed: FollowedSession | None = None

    async def look(self) -> bool:
        """Records what is new; returns whether the process has left the session it began with."""
        session = await asyncio.to_thread(self._source.moved_to)
        if session != self._session:
            await self.close()
            self._session = session
            self._followed = None if session is None else await self._open(session)
        if self._followed is not None:
            with self._run_log.failing():
                await self._followed.look()
        return session is not None

    async def close(self) -> None:
        """Ends what is followed."""
        followed, self._followed = self._followed, None
        if followed is not None:
            with self._run_log.failing():
                await followed.close()

    async def _open(self, session: str) -> FollowedSession | None:
        opened = await self._run_log.open_another(session)
        if opened is None:
            return None
        recorder, recorded = opened
        follower = await asyncio.to_thread(self._source.follow, session, recorded)
        return None if follower is None else FollowedSession(recorder, follower)
