"""One run being written: bytes of its sources in, committed events out.

What is fed goes into the log in the same transaction as the events it gave: the bytes themselves
(spooled until the run is over) and each source's position. After a restart the spooled bytes, in
their order and with their clock, give the same events again, so the pipeline stands exactly where
the log does. That order is the one thing that the agents' files could not tell a second time.

A recorder that redacts is fed with masked bytes (see `masking`), and masks secrets in events that
no line had in one piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from unbraid.errors import LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import one_line
from unbraid.log.port import Log, Spooled
from unbraid.pipeline import Pipeline
from unbraid.redact.source import unmasked
from unbraid.system.file_tail import MARK_BYTES
from unbraid.wire.chunk import Chunk

if TYPE_CHECKING:
    from unbraid.redact.lines import SecretMask

COMMIT_BYTES = 1 << 20


class Recorder:
    """Writes one run. Made by `Recorder.open`; after a LogError it has to be opened anew."""

    def __init__(self, log: Log, run: str, *, spools: bool = True, redact: bool = False) -> None:
        self.run, self.redacts = run, redact
        self.offsets: dict[str, int] = {}
        self.marks: dict[str, tuple[bytes, bytes]] = {}
        self.last_seq = 0
        self.over = False
        self._log, self._spools = log, spools
        self._noted: dict[str, int] = {}
        self._pipeline = Pipeline()
        self._mask: SecretMask | None = None
        if redact:
            from unbraid.redact.lines import SecretMask

            self._mask = SecretMask()

    @classmethod
    async def open(
        cls, log: Log, run: str, *, spools: bool = True, redact: bool = False
    ) -> Recorder:
        """Begin a run, or go on with it where the log stands."""
        recorder = cls(log, run, spools=spools, redact=redact)
        summary = await log.run(run)
        if summary is not None:
            recorder.offsets = await log.offsets(run)
            recorder.last_seq, recorder.over = summary.last_seq, summary.over
            if not summary.over:
                await recorder._replay()
        return recorder

    async def feed(self, pieces: Iterable[Chunk], now: int) -> bool:
        """Take in bytes, durably; what is known is skipped. Says whether anything was new. A piece
        without bytes notes an offset.
        """
        events: list[FleetEvent] = []
        spool: list[Spooled] = []
        offsets: dict[str, int] = {}
        size, fed = 0, False
        for source, offset, data in pieces:
            if not data:
                self.note(source, offset)
                continue
            at = offsets.get(source, self.offsets.get(source, 0))
            fresh = data[at - offset :] if at > offset else data
            if offset > at or not fresh:
                continue
            events += self._pipeline.feed(fresh, source, now)
            spool.append(Spooled(source, at, now, fresh))
            offsets[source] = at + len(fresh)
            size, fed = size + len(fresh), True
            # A long history is many pieces: whoever else is live is not to wait for all of them.
            await asyncio.sleep(0)
            if size >= COMMIT_BYTES:
                await self._commit(events, offsets, spool)
                events, spool, offsets, size = [], [], {}, 0
        if offsets:
            await self._commit(events, offsets, spool)
        return fed

    def note(self, source: str, position: int) -> None:
        """How far a source is told that has no bytes; kept with what is committed next."""
        self._noted[source] = position

    async def finish(self, now: int) -> None:
        """The end of all sources, and of the run."""
        if not self.over:
            await self._commit(self._pipeline.finish(now), {}, [])
            self.over = True

    async def _commit(
        self, events: list[FleetEvent], offsets: dict[str, int], spool: list[Spooled]
    ) -> None:
        kept = spool if self._spools else ()
        if self._mask is not None:
            events = self._mask.events(events)
        known = {**self._noted, **offsets}
        appended = await self._log.append(self.run, events, offsets=known, spool=kept)
        self.offsets.update(known)
        self._noted.clear()
        self.last_seq = appended.last_seq

    async def _replay(self) -> None:
        count, last = 0, None
        for part in await self._log.spooled(self.run):
            if not part.data:
                continue
            events = self._pipeline.feed(part.data, part.source, part.arrived_ms)
            count += len(events)
            last = events[-1] if events else last
            head, tail = self.marks.get(part.source, (b"", b""))
            self.marks[part.source] = (
                (head + part.data[:MARK_BYTES])[:MARK_BYTES],
                (tail + part.data[-MARK_BYTES:])[-MARK_BYTES:],
            )
            await asyncio.sleep(0)
        self.marks = {source: unmasked(*ends) for source, ends in self.marks.items()}
        stored = await self._log.read(self.run, self.last_seq - 1, 1)
        same = not stored or (last is not None and self._told(last, stored[0].data))
        if count != self.last_seq or not same:
            # Another version of the translator, or another writer: going on would tell it wrongly.
            problem = f"its bytes now give {count} events, the log has {self.last_seq}"
            raise LogError(f"run {self.run} cannot go on: {problem}")

    def _told(self, event: FleetEvent, stored: bytes) -> bool:
        if self._mask is None:
            return one_line(event) == stored
        from unbraid.redact.secrets import mask

        # It may have been stored before anyone wanted masks.
        (masked,) = self._mask.events([event])
        return one_line(masked) == mask(stored)
