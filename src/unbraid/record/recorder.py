"""One run being written: chunks of its sources in, committed events out.

What is fed goes into the log in the same transaction as the events it gave: the bytes themselves
(stored until the run is over) and each source's offset. After a restart the stored chunks, in
their order and with the times at which they came, give the same events again, so the pipeline
stands exactly where the log does. That order is the one thing that could not be read from the
agents' files a second time.

Between feeding the pipeline and the commit, the pipeline is ahead of the log. If the commit fails,
or its task is cancelled, it may stay so, and its next events would not continue the run. From then
on every call raises, and the run has to be opened again.

A recorder that redacts does so in the chunks that it reads from a source (`record`), where text
that may become a secret waits for what follows it, and in events what no line had in one piece. It
is fed with chunks that are redacted already.

A run without content is not recorded: a person has only opened a session again and left it. With
`awaits_words`, a run is kept in memory until it has content, and dropped if it ends without any.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from unbraid.errors import LogError
from unbraid.events import (
    Done,
    FleetEvent,
    FleetSessionMeta,
    RequestReceived,
    StreamEnd,
    StreamStart,
    encode,
)
from unbraid.fold.pipeline import Pipeline
from unbraid.log.origin import UNNAMED, RunOrigin
from unbraid.log.port import Log
from unbraid.read.chunk import Chunk, joined
from unbraid.read.lines import OpenLines
from unbraid.read.notes import NOTES, RunNote
from unbraid.read.record import Record
from unbraid.redact.source import SourceRedactor, unredacted_ends
from unbraid.system.clock import now_ms
from unbraid.system.file_tail import MARK_BYTES
from unbraid.system.prices.loader import load_prices

# So much of a source is read at a time, in a thread: a long history is not held at once.
BATCH_BYTES = 1 << 22


class _Batch(NamedTuple):
    chunks: list[Chunk]
    error: Exception | None
    more: bool


def _next_batch(chunks: Iterator[Chunk]) -> _Batch:
    """Returns the next chunks. An error comes after those that were read before it: a source does
    not give them out a second time.
    """
    taken: list[Chunk] = []
    size = 0
    try:
        for chunk in chunks:
            taken.append(chunk)
            size += len(chunk.data)
            if size >= BATCH_BYTES:
                return _Batch(taken, None, more=True)
    except Exception as error:
        return _Batch(taken, error, more=False)
    return _Batch(taken, None, more=False)


# Translating is computing on the event loop, where viewers and other sessions wait for their turn:
# what is translated at a time gets smaller until it takes no longer than this.
TRANSLATION_SLICE_SECONDS = 0.005

COMMIT_BYTES = 1 << 20
MIN_SLICE_BYTES, MAX_SLICE_BYTES = 1 << 12, 1 << 16


class RunPipeline(Protocol):
    """What turns a run's bytes into its events."""

    def feed(
        self, data: bytes, source: str, now: int, records: Sequence[Record] = ()
    ) -> list[FleetEvent]:
        """Takes more bytes of a source; returns the events of them. `records` are as in
        `Translator.feed`.
        """
        ...

    def finish(self, now: int) -> list[FleetEvent]:
        """Ends all sources, and the run. Returns the last events."""
        ...


class TranslationTurns:
    """Lets recorders on one event loop translate one slice after the other, and says when they have
    together done so for long enough that others are to be let in: a pass of the loop for each of
    thousands of small slices would cost more than translating them.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._spent_seconds = 0.0

    def is_long(self, seconds: float) -> bool:
        """Adds the time that a slice has taken; returns whether it is time for a pause."""
        self._spent_seconds += seconds
        if self._spent_seconds < TRANSLATION_SLICE_SECONDS / 4:
            return False
        self._spent_seconds = 0.0
        return True


def priced_pipeline() -> Pipeline:
    """Returns a pipeline with the prices that hold here."""
    return Pipeline(prices=load_prices().prices)


class Recorder:
    """Writes one run. Made by `Recorder.open`. `latest_ms` is the latest time at which anything
    happened in it; 0 if nothing did. `on_new` is called when something new of a source was
    recorded.
    """

    def __init__(
        self,
        log: Log,
        run: str,
        pipeline: RunPipeline,
        *,
        origin: RunOrigin = UNNAMED,
        redact: bool = False,
        awaits_words: bool = False,
        turns: TranslationTurns | None = None,
    ) -> None:
        self.run, self.redacts, self._origin = run, redact, origin
        self.offsets: dict[str, int] = {}
        self.marks: dict[str, tuple[bytes, bytes]] = {}
        self.ended: set[str] = set()
        self.last_seq = self.latest_ms = 0
        self.over = False
        self.on_new: Callable[[], None] = lambda: None
        self._redactor = SourceRedactor() if redact else None
        self._log, self._pipeline = log, pipeline
        self._noted: dict[str, int] = {}
        self._unsaid = _Unsaid([], {}, []) if awaits_words else None
        self._ahead = False
        self._slice_bytes, self._turns = MIN_SLICE_BYTES, turns or TranslationTurns()
        # A file with holes costs nothing; what is made of it must not either.
        self._open_lines = OpenLines()

    @classmethod
    async def open(
        cls,
        log: Log,
        run: str,
        *,
        origin: RunOrigin = UNNAMED,
        redact: bool = False,
        awaits_words: bool = False,
        pipeline: Callable[[], RunPipeline] = priced_pipeline,
        replayed: Callable[[Chunk], None] = lambda chunk: None,
        turns: TranslationTurns | None = None,
    ) -> Recorder:
        """Begins a run, or continues it where the log ends; its first event names its `origin`.
        `replayed` is given every chunk that was recorded before. Recorders that share `turns`
        translate one slice after the other: many of them delay other tasks no longer than one does.
        """
        summary = await log.run(run)
        # Offsets may be there before the first event is.
        offsets = await log.offsets(run)
        recorder = cls(
            log,
            run,
            pipeline(),
            origin=origin,
            redact=redact,
            awaits_words=awaits_words and summary is None and not offsets,
            turns=turns,
        )
        recorder.offsets = offsets
        if summary is not None:
            recorder.last_seq, recorder.over = summary.last_seq, summary.over
            recorder.latest_ms = summary.updated
        if not recorder.over and (summary is not None or offsets):
            await recorder._replay(replayed)
        return recorder

    @property
    def awaits_words(self) -> bool:
        """Whether the log has nothing of the run until there are words."""
        return self._unsaid is not None

    @property
    def has_begun(self) -> bool:
        """Whether anything of the run is in the log."""
        return bool(self.offsets) and not self.awaits_words

    async def record(self, chunks: Iterable[Chunk]) -> None:
        """Records what a source yields, which is read in a thread and redacted if that is wanted. A
        chunk without bytes notes its offset.

        Raises LogError; what was read by then has to be read again. A cancellation loses what was
        read, too.
        """
        if self._redactor is not None:
            chunks = self._redactor.redact(chunks)
        batch, rest = _Batch([], None, more=True), iter(chunks)
        while batch.more:
            batch = await asyncio.to_thread(_next_batch, rest)
            if batch.chunks and await self.feed(batch.chunks, now_ms()):
                self.on_new()
        if batch.error is not None:
            raise batch.error

    async def note(self, notes: Iterable[RunNote]) -> None:
        """Records notes of ours. Raises LogError."""
        offset = self.offsets.get(NOTES, 0)
        await self.record([Chunk(NOTES, offset, b"".join(note.line() for note in notes))])

    async def feed(self, chunks: Iterable[Chunk], now: int) -> bool:
        """Records chunks, durably; what is recorded already is skipped. Returns whether anything
        was new. A chunk without bytes notes an offset, which is committed with the bytes that come
        next.

        Raises LogError, also if a chunk begins behind bytes of its source that never came: to skip
        it would be to lose it and all that follows in silence. What came before it is recorded, and
        the source has to be read again from there.
        """
        self._check()
        events: list[FleetEvent] = []
        fresh: list[Chunk] = []
        offsets: dict[str, int] = {}
        reached: dict[str, int] = {}
        size = 0
        hole: str | None = None
        # One commit after the other, while the next one is prepared.
        committing: asyncio.Task[None] | None = None
        try:
            for given in joined(chunks):
                source, offset, data, written = given
                if not data:
                    self._noted[source] = offset
                    continue
                at = reached.get(source, self.offsets.get(source, 0))
                if offset > at:
                    hole = f"bytes {at} to {offset} of {source} are missing"
                    break
                new = data[at - offset :] if at > offset else data
                if not new:
                    continue
                self._ahead = True
                arrived = max(min(written or now, now), 0)
                chunk = Chunk(source, at, new, arrived_ms=arrived)
                events += await self._translated(chunk, given.records if new is data else ())
                if not self._open_lines.take(source, new):
                    fresh.append(chunk)
                reached[source] = offsets[source] = at + len(new)
                size += len(new)
                if size >= COMMIT_BYTES:
                    reached |= self._take_noted(offsets)
                    if committing is not None:
                        await committing
                    committing = asyncio.create_task(self._commit(events, offsets, fresh))
                    events, fresh, offsets, size = [], [], {}, 0
            if committing is not None:
                await committing
            if offsets:
                if self._noted:
                    self._take_noted(offsets)
                await self._commit(events, offsets, fresh)
        except BaseException:
            # The caller is gone. What is being written is written all the same.
            if committing is not None:
                committing.cancel()
            raise
        self._ahead = False
        if hole is not None:
            raise LogError(f"run {self.run} has to be read again: {hole}")
        return bool(reached)

    async def end(self, source: str, now: int) -> None:
        """Ends a source. The run is over when all of its sources have ended."""
        self._check()
        if source in self.ended or self.over:
            return
        offset = self.offsets.get(source, 0)
        last = self.ended | {source} >= self.offsets.keys()
        self._ahead = True
        events = self._named(self._pipeline.finish(now)) if last else []
        # Nothing is ever stored without bytes but the end of a source.
        chunk = Chunk(source, offset, b"", arrived_ms=now)
        await self._commit(events, self._take_noted({source: offset}), [chunk])
        self._ahead = False
        self.ended.add(source)
        self.over = last

    async def finish(self, now: int) -> None:
        """Ends all sources, and the run: at `now`, if what was recorded last had just happened, or
        with its last event if that is 0. Records what has waited to be redacted.
        """
        if self._redactor is not None and not self.over:
            await self.feed(self._redactor.rest(), now_ms())
        self._check()
        if not self.over:
            self._ahead = True
            await self._commit(self._named(self._pipeline.finish(now)), self._take_noted({}), [])
            self._ahead = False
            self.over = True

    async def _translated(self, chunk: Chunk, records: Sequence[Record] = ()) -> list[FleetEvent]:
        """Returns the events of a chunk, which is fed in small slices: other tasks must not wait
        for all of it, and how long a slice takes depends on what is in it. Its `records` save time
        if it is not larger than a slice.
        """
        source, _, data, now = chunk
        is_one_slice = len(data) <= self._slice_bytes
        events: list[FleetEvent] = []
        at = 0
        while at < len(data):
            size = self._slice_bytes
            async with self._turns.lock:
                # Not by the clock: on a busy machine every slice would seem to take long.
                began = time.thread_time()
                if records and is_one_slice:
                    events += self._pipeline.feed(data, source, now, records)
                else:
                    events += self._pipeline.feed(data[at : at + size], source, now)
                took = time.thread_time() - began
                # Still with the turn, or all recorders would translate in one pass of the loop.
                if self._turns.is_long(took):
                    await asyncio.sleep(0)
            at += size
            if took > TRANSLATION_SLICE_SECONDS:
                self._slice_bytes = max(size // 2, MIN_SLICE_BYTES)
            elif took < TRANSLATION_SLICE_SECONDS / 4:
                self._slice_bytes = min(size * 2, MAX_SLICE_BYTES)
        return self._named(events)

    def _named(self, events: list[FleetEvent]) -> list[FleetEvent]:
        # Only the first event of a run is one; looking at the first of a list is enough.
        if events and isinstance(first := events[0], RequestReceived):
            first.machine, first.user = self._origin.machine, self._origin.user
        return events

    def _check(self) -> None:
        if self._ahead:
            raise LogError(f"run {self.run} has to be opened again: a commit did not succeed")

    async def _commit(
        self, events: list[FleetEvent], offsets: dict[str, int], chunks: list[Chunk]
    ) -> None:
        # In a thread, because others must not wait for as much as a commit may have.
        shown = await asyncio.to_thread(self._redacted, events) if self.redacts else events
        for event in shown:
            self.latest_ms = max(self.latest_ms, event.ts)
        if (unsaid := self._unsaid) is not None:
            unsaid.events.extend(shown)
            unsaid.offsets.update(offsets)
            unsaid.chunks.extend(chunks)
            self.offsets.update(offsets)
            # Lines without words may be many: what is held of them has a bound.
            held = sum(len(chunk.data) for chunk in unsaid.chunks)
            if held < COMMIT_BYTES and not any(map(_has_words, shown)):
                return
            (shown, offsets, chunks), self._unsaid = unsaid, None
        appended = await self._log.append(self.run, shown, offsets=offsets, chunks=chunks)
        self.offsets.update(offsets)
        self.last_seq = appended.last_seq

    def _take_noted(self, offsets: dict[str, int]) -> dict[str, int]:
        """Returns the offsets of a commit, with those that were noted. Called before the commit
        begins: what is noted meanwhile may answer for bytes that only the next one has.
        """
        noted, self._noted = self._noted, {}
        for source, offset in noted.items():
            offsets.setdefault(source, offset)
        return offsets

    async def _replay(self, replayed: Callable[[Chunk], None]) -> None:
        count, last = 0, None
        known: dict[str, int] = {}
        async for chunk in self._stored_chunks():
            if not chunk.data:
                self.ended.add(chunk.source)
                continue
            at = known.get(chunk.source, chunk.offset)
            await self._fill(chunk, at)
            known[chunk.source] = chunk.offset + len(chunk.data)
            events = await self._translated(chunk)
            self._open_lines.take(chunk.source, chunk.data)
            replayed(chunk)
            count += len(events)
            last = events[-1] if events else last
            head, tail = self.marks.get(chunk.source, (b"", b""))
            tail = b"" if at < chunk.offset else tail
            self.marks[chunk.source] = (
                (head + chunk.data[:MARK_BYTES])[:MARK_BYTES],
                (tail + chunk.data[-MARK_BYTES:])[-MARK_BYTES:],
            )
        for source, at in known.items():
            if self._open_lines.is_overlong(source) and at < self.offsets[source]:
                await self._fill(Chunk(source, self.offsets[source], b""), at)
                self.marks[source] = (self.marks[source][0], b"")
        self.marks = {source: unredacted_ends(*ends) for source, ends in self.marks.items()}
        stored = await self._log.read(self.run, self.last_seq - 1, 1) if self.last_seq else []
        same = not stored or (last is not None and self._is(last, stored[0].data))
        if count != self.last_seq or not same:
            # Another version of the translator, or events that another writer added: whatever came
            # next would be wrong.
            problem = f"its bytes now give {count} events, the log has {self.last_seq}"
            raise LogError(f"run {self.run} cannot be continued: {problem}")

    async def _stored_chunks(self) -> AsyncIterator[Chunk]:
        async for chunks in self._log.chunk_pages(self.run):
            for chunk in chunks:
                yield chunk

    async def _fill(self, chunk: Chunk, at: int) -> None:
        """Feeds as many bytes as were left out before a chunk: of them, only the number counts."""
        while at < chunk.offset:
            filler = bytes(min(chunk.offset - at, COMMIT_BYTES))
            await self._translated(Chunk(chunk.source, at, filler, arrived_ms=chunk.arrived_ms))
            self._open_lines.take(chunk.source, filler)
            at += len(filler)

    def _is(self, event: FleetEvent, stored: bytes) -> bool:
        if not self.redacts:
            return encode(event) == stored
        from unbraid.redact.secrets import redact

        # It may have been stored before anyone wanted it redacted.
        (redacted,) = self._redacted([event])
        return encode(redacted) == redact(stored)

    def _redacted(self, events: list[FleetEvent]) -> list[FleetEvent]:
        from unbraid.redact.lines import redact_event

        return [redact_event(event) for event in events]


class _Unsaid(NamedTuple):
    """What a run that awaits words has before them."""

    events: list[FleetEvent]
    offsets: dict[str, int]
    chunks: list[Chunk]


def _has_words(event: FleetEvent) -> bool:
    """Returns whether an event is more than the frame that every run has."""
    if isinstance(event, RequestReceived):
        return bool(event.prompt)
    return not isinstance(event, StreamStart | FleetSessionMeta | StreamEnd | Done)
