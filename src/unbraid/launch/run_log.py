"""The log as something that may fail: whatever it does, the agent goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping

from unbraid.agents.claude.session_files import Known
from unbraid.errors import LogError
from unbraid.log.folder import data_folder
from unbraid.log.leases import Leases
from unbraid.log.sqlite import SqliteLog
from unbraid.record.recorder import Recorder
from unbraid.record.runs import ROWS, ROWS_FROM, open_run, rows_since
from unbraid.redact.source import SourceRedactor
from unbraid.remote.delivery import Sending
from unbraid.wire.chunk import Chunk

CLAIM_SECONDS = 0.5
AGAIN_SECONDS = 0.02


class RunLog:
    """One run's way into the log of this machine; a failure is told once, then it is silent."""

    def __init__(
        self, warn: Callable[[str], None], sending: Sending | None = None, *, redact: bool = False
    ) -> None:
        self.failed = False
        self.opened = False  # whether the session is known, even if its log has failed
        self.on_open: Callable[[str], None] = lambda run: None
        self.recorder: Recorder | None = None
        self.log: SqliteLog | None = None
        self._warn, self._sending = warn, sending
        self._redactor = SourceRedactor() if redact else None
        self._claims: Leases | None = None
        self._unnamed: str | None = None

    async def begin(self, session: str | None) -> None:
        """Open the log, and claim the session that is about to begin."""
        try:
            self.log = await SqliteLog.open()
            self._claims = Leases(data_folder())
            if session is None:
                self._unnamed = self._claims.start()
            else:
                await self._claim(session)
        except LogError as error:
            self._fail(error)

    async def open(
        self, session: str, standing: Mapping[str, Known] | None = None
    ) -> dict[str, Known]:
        """The session is known: open its run. Gives how far its files are known already."""
        known: dict[str, Known] = {}
        self.opened = True
        try:
            if self.log is not None and not self.failed:
                await self._claim(session)
            if self.log is not None and not self.failed:
                redact = self._redactor is not None
                self.recorder, known = await open_run(self.log, session, standing, redact=redact)
                self.on_open(self.recorder.run)
        except LogError as error:
            self._fail(error)
        if self._sending is not None:
            self._sending.begin(session if self.recorder is None else self.recorder.run)
            await self._send_known(self._sending)
        return known

    async def rows_since(self, session: str, began: int) -> int:
        """From when on a session's rows are to be told: after what the log has, else since it
        `began` (milliseconds).
        """
        try:
            known = None if self.log is None else await rows_since(self.log, session)
        except LogError as error:
            self._fail(error)
            known = None
        return began if known is None else known

    def rows_begin(self, since: int) -> None:
        """From when on a session's rows are told in its run."""
        if self.recorder is not None:
            self.recorder.note(ROWS_FROM, since)

    def rows_told(self, upto: int) -> None:
        """How far a session's rows are told by all that is fed."""
        if self.recorder is not None:
            self.recorder.note(ROWS, upto)

    async def feed(self, pieces: Iterable[Chunk]) -> None:
        """Into the log, and on the way to another; if one cannot, then to the other alone."""
        await self._feed(self._redacted(pieces))

    async def _feed(self, pieces: Iterable[Chunk]) -> None:
        now = now_ms()
        told = iter(pieces) if self._sending is None else self._sending.copied(pieces, now)
        if self.recorder is not None and not self.failed:
            try:
                await self.recorder.feed(told, now)
            except LogError as error:
                self._fail(error)
        for _ in told:
            pass

    async def finish(self) -> None:
        """The run is over."""
        if self._redactor is not None:
            await self._feed(self._redactor.rest())
        try:
            if self.recorder is not None and not self.failed:
                await self.recorder.finish(now_ms())
        except LogError as error:
            self._fail(error)

    async def close(self) -> None:
        """Let go of the log, and give the rest some time to arrive elsewhere."""
        if self._claims is not None:
            self._claims.close(ended=self.recorder is None or self.recorder.over)
        if self.log is not None:
            await self.log.close()
        if self._sending is not None:
            await self._sending.finish()

    async def _send_known(self, sending: Sending) -> None:
        """What the log has of this run from before, which the other machine may not have."""
        if self.recorder is None or self.log is None:
            return
        for part in await self.log.spooled(self.recorder.run):
            for chunk in self._redacted([part]):
                sending.put(chunk._replace(arrived_ms=part.arrived_ms))

    def _redacted(self, pieces: Iterable[Chunk]) -> Iterable[Chunk]:
        return pieces if self._redactor is None else self._redactor.redact(pieces)

    async def _claim(self, session: str) -> None:
        assert self._claims is not None
        taken, until = self._claims.take(session), time.monotonic() + CLAIM_SECONDS
        while not taken and time.monotonic() < until:
            # A watch may be looking whether there is anything for it to tell.
            await asyncio.sleep(AGAIN_SECONDS)
            taken = self._claims.take(session)
        if not taken:
            self.failed, self._sending = True, None  # the other one has it all
            self._warn(f"another unbraid already keeps the log of session {session}")
        if self._unnamed is not None:
            self._claims.leave(self._unnamed)
            self._unnamed = None

    def _fail(self, error: LogError) -> None:
        if not self.failed:
            self.failed = True
            self._warn(f"this run is not logged: {error}")


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
