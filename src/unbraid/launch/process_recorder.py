"""Records what a process says: from a source that blocks to the log of its run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from unbraid.agents.process_port import MovingSource, ProcessSource
from unbraid.launch.next_session import NextSession
from unbraid.launch.run_log import RunLog
from unbraid.system.clock import now_ms
from unbraid.timings import RUN_POLL_SECONDS
from unbraid.translate.notes import RunNote
from unbraid.wire.chunk import Chunk


class ProcessRecorder:
    """Asks a source for what is new, again and again, and feeds it to the log.

    The source works in threads, one at a time: so passing the process's output on waits neither
    for its files nor for the log.
    """

    def __init__(self, source: ProcessSource, run_log: RunLog) -> None:
        self._source, self._run_log = source, run_log
        self._next: NextSession | None = None
        if isinstance(source, MovingSource):
            self._next = NextSession(source, run_log)
        self._has_moved = False
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
            if self._next is not None:
                await self._next.close()

    async def _follow(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self._look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RUN_POLL_SECONDS):
                    await over.wait()

    async def _look(self, *, last: bool = False) -> None:
        if self._next is not None and await self._next.look() and not self._has_moved:
            last = self._has_moved = True
        elif self._has_moved:
            return
        await self._look_first(last=last)
        if self._has_moved:
            # It was left when the last thing happened in it, which is seen a little later.
            await self._run_log.finish(0)

    async def _look_first(self, *, last: bool) -> None:
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
        if last:
            self._source.end()
        yield from self._source.read()
