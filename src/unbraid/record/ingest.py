"""Runs that other machines send over HTTP, acknowledged when durable: bytes of their sources by
offset, or the events that they have in their own logs by `seq`.

Sending again is always safe: what was sent before is skipped. The sender is trusted with the
content of its own runs and with nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError, LogError
from unbraid.events import (
    Done,
    FleetEvent,
    FleetSessionMeta,
    FleetTokenUsage,
    FleetTurnComplete,
    RequestReceived,
    StreamStart,
    decode_event,
    encode,
)
from unbraid.fold.amounts import plausible_count, plausible_dollars
from unbraid.log.entry import entry_of
from unbraid.log.origin import RunOrigin
from unbraid.log.port import Log, LogConflict, run_pages
from unbraid.read.chunk import Chunk
from unbraid.read.names import check_names, checked_run
from unbraid.read.record import LATEST_MS
from unbraid.read.seen import forget_oldest
from unbraid.record.recorder import Recorder, RunPipeline, TranslationTurns, priced_pipeline
from unbraid.system.locks import NamedLocks

if TYPE_CHECKING:
    from unbraid.redact.source import SourceRedactor

# Translating is pure computing on the event loop: others get a turn after each of these.
CHUNK_BYTES = 128 * 1024
# Of all runs, so much may wait for a decision whether it is a secret.
HELD_BYTES = 64 << 20


class MissingBytes(CallerError):
    """Bytes before these are missing; `wanted` is the offset to send from."""

    def __init__(self, wanted: int) -> None:
        super().__init__(f"bytes are missing before these: send from {wanted}")
        self.wanted = wanted


class RunOver(CallerError):
    """More bytes for a run that is over."""


class NotItsRun(CallerError):
    """Bytes for a run that another machine began, or this one."""


class TooManyRuns(CallerError):
    """As many runs send at this moment as this process takes."""


def _require_owner(run: str, owner: str | None, machine: str | None, *, any_run: bool) -> None:
    if not any_run and owner != machine:
        raise NotItsRun(f"permission denied: {machine} did not begin run {run}")


# Bytes of sources. Each run has a `Recorder` while a machine sends to it. A recorder can be dropped
# at any time between two chunks, because what rebuilds it is in the log.


@dataclass
class _Live:
    recorder: Recorder
    redactor: SourceRedactor | None
    machine: str | None


class Ingest:
    """Takes in bytes for any number of runs."""

    def __init__(
        self,
        log: Log,
        pipeline: Callable[[], RunPipeline] = priced_pipeline,
        *,
        redact: bool = False,
        max_runs: int = 1000,
    ) -> None:
        self._log, self._pipeline, self._redact = log, pipeline, redact
        self._max_runs = max_runs
        self._live: dict[str, _Live] = {}
        self._turns = TranslationTurns()
        self._locks = NamedLocks()

    @property
    def runs(self) -> int:
        """How many runs are being taken in."""
        return len(self._live)

    async def feed(
        self,
        run: str,
        source: str,
        offset: int,
        data: bytes,
        *,
        now: int,
        end: bool = False,
        machine: str | None = None,
        any_run: bool = True,
    ) -> int:
        """Records bytes of a source that begin at `offset`; `end` says that no more will come.

        A run that begins is that of the `machine`. Without `any_run`, it may send only to its own.

        Returns the next offset wanted: everything before it is durable. What was sent before is
        skipped. The run is over when every source that has sent something has ended.
        """
        check_names(run, [source])
        async with self._locks.of(run):
            chunk = Chunk(source, offset, data, arrived_ms=now)
            owner = await self._owner(run, machine, any_run=any_run)
            try:
                return await self._receive(run, owner, chunk, end=end)
            except (MissingBytes, LogError) as error:
                # The sender may record the same run into this log itself, and have been faster; or
                # another server of a shared log may have taken in what came before.
                if not isinstance(error, LogConflict) and not self._log.shared:
                    raise
                await self._catch_up(run)
                # Asked again: only now it may be known that it is another machine's run.
                owner = await self._owner(run, machine, any_run=any_run)
                return await self._receive(run, owner, chunk, end=end)

    async def _catch_up(self, run: str) -> None:
        """Forgets what is known of a run, and waits until the log has what others have written."""
        self._live.pop(run, None)
        await self._log.settle()

    async def _receive(self, run: str, machine: str | None, chunk: Chunk, *, end: bool) -> int:
        source, offset, data, now = chunk
        live = await self._load(run, machine)
        recorder = live.recorder
        wanted = recorder.offsets.get(source, 0)
        if offset > wanted:
            raise MissingBytes(wanted)
        fresh = data[wanted - offset :]
        if recorder.over or source in recorder.ended:
            if fresh and recorder.over:
                raise RunOver(f"run {run} is over")
            if fresh:
                raise RunOver(f"source {source} of run {run} has ended")
            return wanted
        if live.redactor is not None:
            # A secret must not be cut in two: the sender keeps what is not decided yet.
            # In a thread, because others must not wait for as much as a request may have.
            given, full = chunk._replace(offset=wanted, data=fresh), self._held_bytes > HELD_BYTES
            fresh = await asyncio.to_thread(live.redactor.accepted, given, end=end, full=full)
        await self._record(run, recorder, Chunk(source, wanted, fresh, arrived_ms=now), end=end)
        return wanted + len(fresh)

    @property
    def _held_bytes(self) -> int:
        redactors = (live.redactor for live in self._live.values())
        return sum(each.held_bytes for each in redactors if each is not None)

    async def _record(self, run: str, recorder: Recorder, chunk: Chunk, *, end: bool) -> None:
        try:
            if chunk.data:
                await recorder.feed(_parts(chunk), chunk.arrived_ms)
            if end:
                await recorder.end(chunk.source, chunk.arrived_ms)
        except BaseException:
            # The recorder may be ahead of the log: the next to come rebuilds it.
            self._live.pop(run, None)
            raise
        if recorder.over:
            self._live.pop(run, None)

    async def _owner(self, run: str, machine: str | None, *, any_run: bool) -> str | None:
        """Returns the machine whose run this is: of one that begins now, the one that sends it.
        Raises NotItsRun if that is another one, and the sender may not send to it.
        """
        if (live := self._live.get(run)) is not None:
            owner = live.machine
        else:
            begun = await self._log.run(run)
            owner = machine if begun is None else begun.machine
        _require_owner(run, owner, machine, any_run=any_run)
        return owner

    async def _load(self, run: str, machine: str | None) -> _Live:
        # Taken out and put back: the first in the dict is the one used longest ago.
        live = self._live.pop(run, None) or await self._open(run, machine)
        if not live.recorder.over:
            self._make_room()
            self._live[run] = live
        return live

    def _make_room(self) -> None:
        if len(self._live) < self._max_runs:
            return
        # Nobody is at it, and its bytes are in the log: it can come back whenever it is wanted.
        idle = next((run for run in self._live if run not in self._locks), None)
        if idle is None:
            raise TooManyRuns(f"too many runs are being received: the limit is {self._max_runs}")
        del self._live[idle]

    async def _open(self, run: str, machine: str | None) -> _Live:
        redactor: SourceRedactor | None = None
        if self._redact:
            from unbraid.redact.source import OVERLONG_BYTES, SourceRedactor

            redactor = SourceRedactor(OVERLONG_BYTES)
        recorder = await Recorder.open(
            self._log,
            run,
            redact=self._redact,
            origin=RunOrigin(machine),
            pipeline=self._pipeline,
            replayed=(lambda chunk: None) if redactor is None else redactor.seen,
            turns=self._turns,
        )
        return _Live(recorder, redactor, machine)


def _parts(chunk: Chunk) -> Iterator[Chunk]:
    source, offset, data, _ = chunk
    for start in range(0, len(data), CHUNK_BYTES):
        yield Chunk(source, offset + start, data[start : start + CHUNK_BYTES])


# Events of runs that a machine has translated and stored itself. It names neither its machine nor
# runs of others, and its numbers have to be possible.

# Agents have sub-agents, but not to this depth.
MAX_DEPTH = 10_000
USER_CHARS = 100
# Runs whose streams are remembered.
MAX_HELD_RUNS = 1000
_AMOUNTS = (FleetTokenUsage, FleetTurnComplete, FleetSessionMeta, Done)


class RunPart(NamedTuple):
    """Lines of JSON: the events of a run that follow the event `after`, and the name of the run."""

    run: str
    after: int
    lines: Sequence[bytes]
    user: str | None = None


class Received(NamedTuple):
    """Up to which event a run is durable, and whether more of what was sent waits for what
    follows it.
    """

    seq: int
    waits: bool = False


class EventIngest:
    """Takes in events of any number of runs."""

    def __init__(self, log: Log, *, redact: bool = False) -> None:
        self._log, self._redact = log, redact
        # By run: the depths of the streams that have begun, and up to which event they were read.
        self._depths: dict[str, tuple[int, list[int]]] = {}
        self._locks = NamedLocks()

    async def feed(self, part: RunPart, *, machine: str | None, any_run: bool) -> Received:
        """Appends events, and returns up to which event the run is durable. A run that begins
        belongs to the `machine`. Without `any_run`, it may send only to its own runs.

        Events that do not follow what is there are not taken: the answer says what to send from.
        """
        checked_run(part.run)
        async with self._locks.of(part.run):
            try:
                return await self._append(part, machine, any_run=any_run)
            except LogConflict:
                # Another server of the log may have taken in what came before.
                await self._log.settle()
                return await self._append(part, machine, any_run=any_run)

    async def _append(self, part: RunPart, machine: str | None, *, any_run: bool) -> Received:
        last = await self._last(part.run, machine, any_run=any_run)
        if part.after > last:
            await self._log.settle()
            # Asked again: only now it may be known that it is another machine's run.
            last = await self._last(part.run, machine, any_run=any_run)
        if part.after > last:
            return Received(last)
        # The first event says whose the run is, which is ours to say: it is not compared.
        known = last if self._redact else min(last, 1)
        events = [
            event
            for seq, line in enumerate(part.lines, part.after + 1)
            if (event := _checked(line, seq)).seq > known
        ]
        if not events:
            return Received(last)
        await self._check_streams(part.run, last, events)
        if isinstance(first := events[0], RequestReceived):
            user = first.user or part.user
            first.machine, first.user = machine, None if user is None else user[:USER_CHARS]
        sent = events[-1].seq
        if self._redact:
            events = await self._redacted(part.run, events)
        if events:
            last = (await self._log.append(part.run, events)).last_seq
        return Received(last, waits=last < sent)

    async def _last(self, run: str, machine: str | None, *, any_run: bool) -> int:
        """Returns the last event of a run that the machine may send to. Raises NotItsRun."""
        begun = await self._log.run(run)
        if begun is None:
            return 0
        _require_owner(run, begun.machine, machine, any_run=any_run)
        return begun.last_seq

    async def _check_streams(self, run: str, last: int, events: Sequence[FleetEvent]) -> None:
        """Raises CallerError if one of the events after the `last` that the log has starts a stream
        that cannot begin there.

        Every reader follows streams from parent to child. A stream that is its own parent would
        lead it in circles without end, and one that begins twice at each level doubles its way with
        every level: one machine could stop the server, and everyone's page. So what a log promises
        of streams is checked before it is taken in: they are numbered in the order in which they
        begin, and whatever one refers to has begun before.
        """
        starts = [each for each in events if isinstance(each, StreamStart) and each.seq > last]
        if not starts:
            return
        depths = list(await self._started(run, last))
        for start in starts:
            if not _may_begin(start, depths):
                raise CallerError(f"event {start.seq}: a stream that cannot begin here")
            depths.append(start.depth)

    async def _started(self, run: str, last: int) -> list[int]:
        """Returns the depths of the streams that have begun in a run, by their numbers."""
        seq, depths = self._depths.pop(run, (0, []))
        if seq > last:  # the run was deleted, and has begun anew
            seq, depths = 0, []
        async for page in run_pages(self._log, run, seq, types=("stream_start",)):
            depths += [each.event.depth for each in page if each.seq <= last]
            seq = page[-1].seq
            if seq > last:
                break
        self._depths[run] = (min(seq, last), depths)
        forget_oldest(self._depths, MAX_HELD_RUNS)
        return depths

    async def _redacted(self, run: str, events: list[FleetEvent]) -> list[FleetEvent]:
        """Returns as many of the events as are decided: the sender keeps the rest until the agent
        says more, or has been silent for long.
        """
        from unbraid.redact.lines import redact_event
        from unbraid.redact.reader import RunRedactor

        redactor = RunRedactor(self._log, run, events[0].seq - 1)
        decided = await redactor.push([entry_of(run, each, encode(each)) for each in events])
        decided += redactor.expire(time.time())
        return await asyncio.to_thread(lambda: [redact_event(entry.event) for entry in decided])


def _may_begin(start: StreamStart, depths: Sequence[int]) -> bool:
    parent, resumed = start.parent_stream_id, start.resumes
    if parent is None:
        placed = start.depth == 0 and (start.stream_id == 0 or resumed is not None)
    else:
        placed = 0 <= parent < len(depths) and start.depth == depths[parent] + 1
    known = resumed is None or 0 <= resumed < len(depths)
    return placed and known and start.stream_id == len(depths)


def _checked(line: bytes, seq: int) -> FleetEvent:
    """Returns an event that a log can have there. Raises CallerError if it cannot."""
    try:
        event = decode_event(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = "of another version of unbraid, or none"
        raise CallerError(f"event {seq} is {problem}: {error}") from error
    if event.seq != seq:
        raise CallerError(f"event {event.seq} stands where event {seq} should")
    if (seq == 1) != isinstance(event, RequestReceived):
        raise CallerError("a run begins with request_received, and with no other")
    if not (
        0 <= event.ts < LATEST_MS
        and 0 <= event.stream_id < LATEST_MS
        and 0 <= event.depth <= MAX_DEPTH
    ):
        raise CallerError(f"event {seq}: impossible numbers")
    return _plausible(event) if isinstance(event, _AMOUNTS) else event


def _plausible(event: FleetEvent) -> FleetEvent:
    """Returns an event in which numbers that cannot be true count as not reported."""
    changed: dict[str, object] = {}
    for name in event.__struct_fields__:
        given = getattr(event, name)
        if name.endswith("_tokens") and given is not None and plausible_count(given) != given:
            changed[name] = None if isinstance(event, FleetTurnComplete | FleetSessionMeta) else 0
        elif name.endswith("_usd") and plausible_dollars(given) != given:
            changed[name] = None
    return replace(event, **changed) if changed else event
