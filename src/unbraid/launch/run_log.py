"""One run's log, which may fail: the agent continues all the same."""

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
from unbraid.record.recorder import Recorder
from unbraid.record.runs import next_run, open_run
from unbraid.redact.source import SourceRedactor
from unbraid.remote.destination import RunDelivery
from unbraid.system.clock import now_ms
from unbraid.timings import LEASE_RETRY_SECONDS, LEASE_TIMEOUT_SECONDS
from unbraid.translate.notes import NOTES, RunNote
from unbraid.wire.chunk import Chunk


class RunLog:
    """Records one run in the log of this machine, or in the one at `url`; a failure is reported
    once, and then no more. One that `awaits_words` is none as long as nothing is said in it.
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
        self._redactor = SourceRedactor() if redact else None
        self._leases: Leases | None = None
        self._unnamed: str | None = None
        self._is_kept = True  # whether the log outlives this process
        self._begun = False

    @property
    def run(self) -> str:
        """The run's name, once it has one."""
        return "" if self.recorder is None else self.recorder.run

    async def begin(self, session: str | None) -> None:
        """Open the log, and acquire the lease of the session that is about to begin."""
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
                redact = self._redactor is not None
                self.recorder, recorded = await open_run(
                    self.log, session, redact=redact, awaits_words=self._awaits_words
                )
        except LogError as error:
            self._fail(error)
        self._note()
        return recorded

    async def open_another(self, session: str) -> tuple[Recorder, Recorded] | None:
        """Opens the run of a session that the same process goes on to; None if another process
        records it, or the log has failed.
        """
        with self.failing():
            if self.log is None or self._leases is None or self.failed:
                return None
            if await self._leases.acquire(session):
                redact = self._redactor is not None
                return await open_run(self.log, session, redact=redact, awaits_words=True)
        return None

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Reports an error of the log, once, instead of raising it."""
        try:
            yield
        except LogError as error:
            self._fail(error)

    async def feed(self, chunks: Iterable[Chunk]) -> None:
        """Record chunks, and have what came of them sent where that is wanted. A chunk without
        bytes notes its offset.
        """
        await self._feed(self._redacted(chunks))

    async def note(self, notes: Iterable[RunNote]) -> None:
        """Records notes of ours."""
        offset = 0 if self.recorder is None else self.recorder.offsets.get(NOTES, 0)
        await self.feed([Chunk(NOTES, offset, b"".join(note.line() for note in notes))])

    async def _feed(self, chunks: Iterable[Chunk]) -> None:
        rest = iter(chunks)
        if self.recorder is not None and not self.failed:
            try:
                await self.recorder.feed(rest, now_ms())
            except LogError as error:
                self._fail(error)
            self._note()
        for _ in rest:
            pass

    async def finish(self, now: int) -> None:
        """Ends the run, if it has not ended: now, or with its last event if that is 0."""
        if self.recorder is not None and self.recorder.over:
            return
        if self._redactor is not None:
            await self._feed(self._redactor.rest())
        with self.failing():
            if self.recorder is not None and not self.failed:
                await self.recorder.finish(now)
        self._note()

    async def close(self) -> None:
        """Give the rest some time to arrive elsewhere, and let go of the log."""
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

    def _redacted(self, chunks: Iterable[Chunk]) -> Iterable[Chunk]:
        return chunks if self._redactor is None else self._redactor.redact(chunks)

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
