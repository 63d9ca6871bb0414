"""Watch OpenCode's database: every root session whose rows change is followed into the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from unbraid.errors import LogError, SourceError
from unbraid.live.claims import Claims
from unbraid.live.followed import FollowedRows
from unbraid.live.keeping import now_ms
from unbraid.live.opening import open_run
from unbraid.log.port import Log
from unbraid.sources.opencode_follow import Database
from unbraid.sources.places import opencode_database

LOOK_SECONDS = 0.1
APPEARING_SECONDS = 0.5
RECENT_MS = 300_000


class WatchedRows:
    """All root sessions of one database."""

    def __init__(
        self,
        log: Log,
        claims: Claims,
        env: Mapping[str, str],
        warn: Callable[[str], None],
        idle_seconds: float,
    ) -> None:
        self._log, self._claims, self._env, self._warn = log, claims, env, warn
        self._idle_seconds = idle_seconds
        self._database: Database | None = None
        self._followed: dict[str, FollowedRows] = {}
        self._waiting: set[str] = set()
        self._opening = asyncio.Lock()  # a server may tell of the same session meanwhile

    async def run(self) -> None:
        """Look for ever; a look at a database that has not changed costs two `stat`s."""
        while True:
            if self._database is None:
                await asyncio.sleep(APPEARING_SECONDS)
            if self._database is None or not self._database.quiet or self._waiting:
                await self._look()
            for root, followed in list(self._followed.items()):
                if time.monotonic() - followed.heard > self._idle_seconds:
                    await followed.finish()
                    self._drop(root)
            await asyncio.sleep(LOOK_SECONDS)

    async def told(self, root: str, lines: list[bytes]) -> str | None:
        """Lines of a session that a server has told; the run they went to, if it is ours."""
        async with self._opening:
            await self._tell(root, lines)
            followed = self._followed.get(root)
            return None if followed is None else followed.recorder.run

    async def close(self) -> None:
        """A last look."""
        await self._look(last=True)

    async def _look(self, *, last: bool = False) -> None:
        try:
            found = await asyncio.to_thread(self._changed, last=last)
        except SourceError as error:
            self._warn(str(error))
            return
        for root in self._waiting - found.keys():
            found[root] = []
        for root, lines in found.items():
            async with self._opening:
                await self._tell(root, lines)

    def _changed(self, *, last: bool) -> dict[str, list[bytes]]:
        if self._database is None:
            path = opencode_database(self._env)
            if path is None:
                return {}
            self._database = Database(path, now_ms() - RECENT_MS)
        return self._database.changed(last=last)

    async def _tell(self, root: str, lines: list[bytes]) -> None:
        try:
            followed = self._followed.get(root)
            fresh = followed is None
            if followed is None:
                followed = await self._open(root)
            if followed is not None and lines and (self._database is None or not fresh):
                await followed.tell(lines)
        except LogError as error:
            self._warn(str(error))
            self._drop(root)
            self._waiting.add(root)

    async def _open(self, root: str) -> FollowedRows | None:
        self._waiting.discard(root)
        starting = self._claims.someone_starts() and await self._log.run(root) is None
        if starting or not self._claims.take(root):
            self._waiting.add(root)
            return None
        recorder, _ = await open_run(self._log, root)
        summary = await self._log.run(recorder.run)
        # A session's second run begins with what is new; its first has everything.
        since = 0 if recorder.run == root else now_ms() - RECENT_MS
        if summary is not None and recorder.run != root:
            since = summary.started
        followed = self._followed[root] = FollowedRows(recorder)
        if self._database is not None:
            # From the database again, whatever was found before: what is known is told only once.
            await followed.tell(await asyncio.to_thread(self._database.since, root, since))
        return followed

    def _drop(self, root: str) -> None:
        self._followed.pop(root, None)
        self._claims.leave(root)
