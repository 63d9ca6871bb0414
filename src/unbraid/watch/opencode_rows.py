"""Watch OpenCode's database: every root session whose rows change is followed into the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from unbraid.agents.opencode.changes import Database
from unbraid.agents.opencode.writers import Writers
from unbraid.agents.places import opencode_database
from unbraid.errors import LogError, SourceError
from unbraid.launch.run_log import now_ms
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.record.followed import FollowedRows, to_the_end
from unbraid.record.runs import ROWS, begins_run, open_run, rows_since
from unbraid.timings import TEXT_BEFORE_CALL_TIMEOUT_SECONDS

LOOK_SECONDS = 0.1
APPEARING_SECONDS = 0.5
GONE_SECONDS = 1.0
RECENT_MS = 300_000
DATABASE = "database"


class WatchedRows:
    """All root sessions of one database, or `only` one."""

    def __init__(
        self,
        log: Log,
        leases: Leases,
        env: Mapping[str, str],
        warn: Callable[[str], None],
        idle_seconds: float,
        *,
        redact: bool = False,
        only: str | None = None,
    ) -> None:
        self._log, self._claims, self._env, self._warn = log, leases, env, warn
        self._idle_seconds, self._redact, self._only = idle_seconds, redact, only
        self._database: Database | None = None
        self._writers: Writers | None = None
        self._followed: dict[str, FollowedRows] = {}
        self._waiting: set[str] = set()
        self._tried: dict[str, float] = {}  # sessions that wait for words, and since when
        self._opening = asyncio.Lock()  # a server may tell of the same session meanwhile

    async def run(self) -> None:
        """Look for ever; a look at a database that has not changed costs two `stat`s, and once a
        second a look at who has it open.
        """
        looked = time.monotonic()
        while True:
            if self._database is None:
                await asyncio.sleep(APPEARING_SECONDS)
            counts = time.monotonic() - looked >= GONE_SECONDS
            if self._database is None or not self._database.quiet or self._waiting or counts:
                looked = time.monotonic()
                # What was read is not read again: the last look is not to miss it.
                await to_the_end(self._look())
            for root, followed in list(self._followed.items()):
                if time.monotonic() - followed.heard > self._idle_seconds:
                    await to_the_end(self._finish(root, followed))
            await self._end_gone()
            await asyncio.sleep(LOOK_SECONDS)

    def resume(self, root: str) -> None:
        """A session whose run was left unfinished goes on here, or ends if it says nothing more."""
        self._waiting.add(root)

    async def told(self, root: str, lines: list[bytes], *, whole: bool = False) -> str | None:
        """Lines of a session that a server has told, as they came or as a `whole` from its very
        beginning; the run they went to, if it is ours.
        """
        async with self._opening:
            followed = self._followed.get(root)
            later = followed is not None and followed.recorder.run != root
            if not (whole and later and self._has(root)):  # runs before have its beginning
                await self._tell(root, lines, "server")
            followed = self._followed.get(root)
            return None if followed is None else followed.recorder.run

    async def close(self) -> None:
        """A last look."""
        await self._look(last=True)

    async def _end_gone(self) -> None:
        """End the runs of sessions whose processes are gone: nobody else will."""
        if self._writers is None or self._database is None:
            return
        for root in self._writers.gone - self._waiting - self._database.waiting:
            if (followed := self._followed.get(root)) is not None:
                await to_the_end(self._finish(root, followed))
            self._writers.forget(root)

    async def _finish(self, root: str, followed: FollowedRows) -> None:
        async with self._opening:
            try:
                await followed.finish()
            except LogError as error:
                self._warn(str(error))
            self._drop(root)

    async def _look(self, *, last: bool = False) -> None:
        try:
            found = await asyncio.to_thread(self._changed, last=last)
        except SourceError as error:
            self._warn(str(error))
            return
        for root in self._waiting - found.keys():
            found[root] = []
        for root, lines in found.items():
            if self._only in (None, root):
                async with self._opening:
                    await self._tell(root, lines)

    def _changed(self, *, last: bool) -> dict[str, list[bytes]]:
        if self._database is None:
            path = opencode_database(self._env)
            if path is None:
                return {}
            self._database = Database(path, now_ms() - RECENT_MS)
            self._writers = Writers(path)
        assert self._writers is not None
        self._writers.looking()
        changed = self._database.changed(last=last)
        if self._database.heard is not None:
            self._writers.looked(self._database.heard)
        return changed

    async def _tell(self, root: str, lines: list[bytes], source: str = DATABASE) -> None:
        try:
            followed = self._followed.get(root)
            fresh = followed is None
            if followed is None:
                followed = await self._open(root, source)
            if followed is not None and lines and (self._database is None or not fresh):
                if source == DATABASE and self._database is not None:
                    followed.recorder.note(ROWS, self._database.upto.get(root, 0))
                await followed.tell(lines, source)
        except LogError as error:
            self._warn(str(error))
            self._drop(root)
            self._waiting.add(root)

    async def _open(self, root: str, source: str) -> FollowedRows | None:
        self._waiting.discard(root)
        if self._claims.told(root):
            return None
        starting = self._claims.someone_starts() and await begins_run(self._log, root)
        if starting or not self._claims.take(root):
            self._waiting.add(root)
            return None
        lines, upto = await self._known(root) if self._database is not None else ([], 0)
        if lines is None:
            self._claims.leave(root)
            self._waiting.add(root)
            return None
        known = source == DATABASE or self._has(root)
        if not lines and known and await begins_run(self._log, root):
            # Whoever had it has told all: the next run may be someone else's again.
            self._claims.leave(root)
            return None
        recorder, _ = await open_run(self._log, root, redact=self._redact)
        followed = self._followed[root] = FollowedRows(recorder)
        if lines:
            recorder.note(ROWS, upto)
            await followed.tell(lines)
        return followed

    async def _known(self, root: str) -> tuple[list[bytes] | None, int]:
        """From the database again, whatever was found before: what is known is told only once.
        Also, how far that goes.

        None while it waits for words that were said before others.
        """
        assert self._database is not None
        # Anew at every try: there may be more children by now.
        part = self._database.part(root, await rows_since(self._log, root) or 0)
        waited = time.monotonic() - self._tried.setdefault(root, time.monotonic())
        last = waited >= TEXT_BEFORE_CALL_TIMEOUT_SECONDS
        lines: dict[str, list[bytes]] = await asyncio.to_thread(part.changed, last=last)
        if part.waiting:
            return None, 0
        del self._tried[root]
        return lines.get(root, []), part.upto.get(root, 0)

    def _has(self, root: str) -> bool:
        """Whether a session is one of our database, not only of a server's elsewhere."""
        return self._database is not None and self._database.has(root)

    def _drop(self, root: str) -> None:
        self._followed.pop(root, None)
        self._claims.leave(root)
