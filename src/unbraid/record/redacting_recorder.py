"""How every session and process gets into its run: redacted if that is wanted, then recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unbraid.read.chunk import Chunk
from unbraid.read.notes import NOTES, RunNote
from unbraid.record.recorder import Recorder, read_in_thread
from unbraid.redact.source import SourceRedactor
from unbraid.system.clock import now_ms


class RedactingRecorder:
    """Feeds one recorder. If that redacts, text that may become a secret waits here for what
    follows it. Calls `on_new` after each commit.
    """

    def __init__(self, recorder: Recorder, on_new: Callable[[], None]) -> None:
        self._recorder, self._on_new = recorder, on_new
        self._redactor = SourceRedactor() if recorder.redacts else None

    async def feed(self, chunks: Iterable[Chunk]) -> None:
        """Records chunks, which are read in a thread. A chunk without bytes notes its offset.

        Raises LogError; what was read by then has to be read again. A cancellation loses what was
        read, too.
        """
        if self._redactor is not None:
            chunks = self._redactor.redact(chunks)
        async for batch in read_in_thread(iter(chunks)):
            if await self._recorder.feed(batch, now_ms()):
                self._on_new()

    async def note(self, notes: Iterable[RunNote]) -> None:
        """Records notes of ours. Raises LogError."""
        offset = self._recorder.offsets.get(NOTES, 0)
        await self.feed([Chunk(NOTES, offset, b"".join(note.line() for note in notes))])

    async def finish(self, now: int) -> None:
        """Records what waits, and ends the run if it has not ended: at `now`, or with its last
        event if that is 0. Raises LogError.
        """
        if self._recorder.over:
            return
        if self._redactor is not None:
            await self._recorder.feed(self._redactor.rest(), now_ms())
        await self._recorder.finish(now)
