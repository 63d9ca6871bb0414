"""The log of one run. If it fails, the agent continues all the same."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator

from unbraid.agents.port import Recorded
from unbraid.errors import LogError
from unbraid.log.engines import log_name, memory_log, open_log
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.read.chunk import Chunk
from unbraid.read.notes import RunNote
from unbraid.record.recorder import Recorder, RedactingRecorder, read_in_thread
from unbraid.record.runs import next_run, open_run
from unbraid.send.delivery import RunDelivery

# A watch holds a session's lease for a moment to see whether there is anything to record.
LEASE_TIMEOUT_SECONDS = 0.5
LEASE_RETRY_SECONDS = 0.02


class RunLog:
    """Records one run in the log of this machine, or in the one at `url`; a failure is reported
    once, and then no more. With `awaits_words`, nothing is written to the log until the run has
    content.
    """

    def __init__(
        self,
        warn: Callable[[str], None],
        sending: RunDelivery | None = None,
        *,
        redact: bool = False,
        url: str | None = None,
        awaits_words: bool = False,
    ) -> None:
        self.failed = False
        self.opened = False  # whether the session is known, even if its log has failed
        self.on_begin: Callable[[str], None] = lambda run: None
        self.recorder: Recorder | None = None
        self.log: Log | None = None
        self._warn, self._sending, self._url = warn, sending, url
        self._awaits_words = awaits_words
        self._redact = redact
        self._recording: RedactingRecorder | None = None
        self._leases: Leases | None = None
        self._unnamed: str | None = None
        self._is_kept = True  # whether the log outlives this process
        self._begun = False

    @property
    def run(self) -> str:
        """The run's name, once it has one."""
        return "" if self.recorder is None else self.recorder.run

    async def begin(self, session: str | None) -> None:
        """Opens the log, and acquires the lease of the session that is about to begin."""
        try:
            self.log = await open_log(self._url)
            await self._lease(session)
        except LogError as error:
            self._fail(error)
            if self._sending is not None:
                await self._begin_in_memory(session)

    async def _begin_in_memory(self, session: str | None) -> None:
        """Keeps the run in this process alone, so that it can at least be sent."""
        if self.log is not None:
            await self.log.close()
        self.log, self._is_kept, self.failed = memory_log(), False, False
        await self._lease(session)

    async def _lease(self, session: str | None) -> None:
        assert self.log is not None
        self._leases = self.log.leases()
        if session is None:
            self._unnamed = self._leases.acquire_unnamed()
        else:
            await self._acquire(session)

    async def expected(self, session: str | None) -> str | None:
        """Returns the name that the run of a session will have; None if that is not known yet."""
        if session is None or self.log is None or self.failed:
            return None
        try:
            return await next_run(self.log, session)
        except LogError:
            return None

    async def open(self, session: str) -> Recorded:
        """Opens the run of a session, now that it is known. Returns how far it is recorded
        already.
        """
        recorded = Recorded()
        self.opened = True
        try:
            if self.log is not None and not self.failed:
                await self._acquire(session)
            if self.log is not None and not self.failed:
                self.recorder, recorded = await open_run(
                    self.log, session, redact=self._redact, awaits_words=self._awaits_words
                )
                self._recording = RedactingRecorder(self.recorder, self._note)
        except LogError as error:
            self._fail(error)
        self._note()
        return recorded

    async def open_another(self, session: str) -> tuple[Recorder, Recorded] | None:
        """Opens the run of a session that the same process moves to. Returns its recorder and how
        far it is recorded; None if another process records it, or the log has failed.
        """
        with self.failing():
            if self.log is None or self._leases is None or self.failed:
                return None
            if await self._leases.acquire(session):
                return await open_run(self.log, session, redact=self._redact, awaits_words=True)
        return None

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Reports an error of the log, once, instead of raising it."""
        try:
            yield
        except LogError as error:
            self._fail(error)

    async def feed(self, chunks: Iterable[Chunk]) -> None:
        """Records chunks, which are read in a thread, and has what came of them sent where that is
        wanted. A chunk without bytes notes its offset.
        """
        rest = iter(chunks)
        if self._recording is not None and not self.failed:
            with self.failing():
                await self._recording.feed(rest)
            self._note()
        if self._recording is None or self.failed:
            # It is read all the same: that is how a source learns its session.
            async for _ in read_in_thread(rest):
                pass

    async def note(self, notes: Iterable[RunNote]) -> None:
        """Records notes of ours."""
        if self._recording is not None and not self.failed:
            with self.failing():
                await self._recording.note(notes)
            self._note()

    async def finish(self, now: int) -> None:
        """Ends the run, if it has not ended: now, or with its last event if that is 0."""
        if self._recording is not None and not self.failed:
            with self.failing():
                await self._recording.finish(now)
            self._note()

    async def close(self) -> None:
        """Gives the rest some time to arrive elsewhere, and closes the log."""
        if self._leases is not None:
            await self._leases.close(ended=self.recorder is None or self.recorder.over)
        if self._sending is not None:
            await self._sending.finish()
        if self.log is not None:
            await self.log.close()

    def _note(self) -> None:
        recorder = self.recorder
        if recorder is None or self.log is None or recorder.awaits_words:
            return
        if not self._begun:
            self._begun = True
            self.on_begin(recorder.run)
            if self._sending is not None:
                name = log_name(self._url) if self._is_kept else None
                self._sending.begin(self.log, name, recorder.run)
        if self._sending is not None:
            self._sending.note()

    async def _acquire(self, session: str) -> None:
        assert self._leases is not None
        taken, until = await self._leases.acquire(session), time.monotonic() + LEASE_TIMEOUT_SECONDS
        while not taken and time.monotonic() < until:
            # A watch may be looking whether there is anything for it to record.
            await asyncio.sleep(LEASE_RETRY_SECONDS)
            taken = await self._leases.acquire(session)
        if not taken:
            self.failed, self._sending = True, None  # the other one has it all
            self._warn(f"another unbraid already records session {session}")
        if self._unnamed is not None:
            await self._leases.release(self._unnamed)
            self._unnamed = None

    def _fail(self, error: LogError) -> None:
        if not self.failed:
            self.failed = True
            self._warn(f"this run is not logged: {error}")
