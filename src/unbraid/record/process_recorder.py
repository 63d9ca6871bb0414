"""Records what a process says: from a source that blocks to the log of its run.

A process may move to another session in the same terminal, by a command such as `/clear`. Each
session is a run of its own, as a watch would record it; it ends when the process moves on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from unbraid.agents.source import Source
from unbraid.read.chunk import Chunk
from unbraid.read.notes import RunNote
from unbraid.record.followed_session import FollowedSession
from unbraid.record.run import RunLog
from unbraid.system.clock import now_ms
from unbraid.timings import RUN_POLL_SECONDS


class ProcessRecorder:
    """Asks a source for what is new, again and again, and feeds it to the log.

    The source works in threads, one at a time: so passing the process's output on waits neither
    for its files nor for the log.
    """

    def __init__(self, source: Source, run_log: RunLog) -> None:
        self._source, self._run_log = source, run_log
        self._moved_to: str | None = None
        self._next_session: str | None = None  # the one that is followed, once it has moved
        self._next: FollowedSession | None = None
        self._printed: list[bytes] = []
        self._notes: list[RunNote] = []

    def printed(self, data: bytes) -> None:
        """Takes more of the process's stdout."""
        self._printed.append(data)

    def note(self, note: RunNote) -> None:
        """Takes a note of ours about the run."""
        self._notes.append(note)

    @contextlib.asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Records while the block runs, and the rest at its end, when the process is gone."""
        over = asyncio.Event()
        following = asyncio.create_task(self._follow(over))
        try:
            yield
        finally:
            # Not cancelled: what a source has given out, it does not give out again.
            over.set()
            await following
            await self._look(last=True)
            await self._run_log.finish(now_ms())
            await self._end_next()

    async def _follow(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self._look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RUN_POLL_SECONDS):
                    await over.wait()

    async def _look(self, *, last: bool = False) -> None:
        if self._moved_to is not None:
            self._moved_to = await asyncio.to_thread(self._source.moved_to)
        else:
            await self._record(last=last)
            if self._moved_to is None:
                return
            # It was left when the last thing happened in it, which is seen a little later.
            await self._run_log.finish(0)
        await self._record_next()

    async def _record(self, *, last: bool) -> None:
        printed, self._printed = self._printed, []
        await self._run_log.feed(self._read(printed, last=last))
        session = self._source.session_id
        if session is not None and not self._run_log.opened:
            recorded = await self._run_log.open(session)
            await asyncio.to_thread(self._source.begin, recorded)
            await self._run_log.feed(self._read([], last=False))
        if self._notes and self._run_log.opened:
            notes, self._notes = self._notes, []
            await self._run_log.note(notes)

    def _read(self, printed: list[bytes], *, last: bool) -> Iterator[Chunk]:
        for data in printed:
            self._source.printed(data)
        self._moved_to = self._source.moved_to()
        if last or self._moved_to is not None:
            self._source.end()
        yield from self._source.read()

    async def _record_next(self) -> None:
        session = self._moved_to
        if session is not None and session != self._next_session:
            await self._end_next()
            self._next_session, self._next = session, await self._opened(session)
        if self._next is not None:
            with self._run_log.failing():
                await self._next.look()

    async def _opened(self, session: str) -> FollowedSession | None:
        opened = await self._run_log.open_another(session)
        if opened is None:
            return None
        recorder, recorded = opened
        source = await asyncio.to_thread(self._source.follow, session, recorded)
        return None if source is None else FollowedSession(recorder, source)

    async def _end_next(self) -> None:
        followed, self._next = self._next, None
        if followed is not None:
            with self._run_log.failing():
                await followed.close()
