"""Events of any number of runs, as other machines have them in their own logs: by `seq`,
acknowledged when durable.

A machine that has translated and stored a run itself sends its events, and no bytes. What was sent
before is compared and skipped, as by every append, so sending again is always safe. The sender is
trusted with the content of its own runs and with nothing else: it names neither its machine nor
runs of others, and its numbers have to be possible.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError
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
from unbraid.log.port import Log, LogConflict, LogReader, run_pages
from unbraid.read.names import checked_run
from unbraid.read.record import LATEST_MS
from unbraid.read.seen import forget_oldest
from unbraid.record.ingest import NotItsRun
from unbraid.system.locks import NamedLocks

# Which stream may begin next in a run whose events another machine sends.
#
# Every reader follows streams from parent to child. A stream that is its own parent would lead it
# in circles without end, and one that begins twice at each level doubles its way with every
# level: one machine could stop the server, and everyone's page. So what a log promises of streams
# is checked before it is taken in: they are numbered in the order in which they begin, and
# whatever one refers to has begun before.

MAX_HELD_RUNS = 1000


class StartedStreams:
    """The streams that have begun, by run: the depth of each, and the event up to which the log was
    read for them.
    """

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._held: dict[str, tuple[int, list[int]]] = {}

    async def check(self, run: str, last: int, events: Sequence[FleetEvent]) -> None:
        """Raises CallerError if one of the events after the `last` that the log has starts a stream
        that cannot begin there.
        """
        starts = [each for each in events if isinstance(each, StreamStart) and each.seq > last]
        if not starts:
            return
        depths = list(await self._depths(run, last))
        for start in starts:
            if not _may_begin(start, depths):
                raise CallerError(f"event {start.seq}: a stream that cannot begin here")
            depths.append(start.depth)

    async def _depths(self, run: str, last: int) -> list[int]:
        seq, depths = self._held.pop(run, (0, []))
        if seq > last:  # the run was deleted, and has begun anew
            seq, depths = 0, []
        async for page in run_pages(self._log, run, seq, types=("stream_start",)):
            depths += [each.event.depth for each in page if each.seq <= last]
            seq = page[-1].seq
            if seq > last:
                break
        self._held[run] = (min(seq, last), depths)
        forget_oldest(self._held, MAX_HELD_RUNS)
        return depths


def _may_begin(start: StreamStart, depths: Sequence[int]) -> bool:
    parent, resumed = start.parent_stream_id, start.resumes
    if parent is None:
        placed = start.depth == 0 and (start.stream_id == 0 or resumed is not None)
    else:
        placed = 0 <= parent < len(depths) and start.depth == depths[parent] + 1
    known = resumed is None or 0 <= resumed < len(depths)
    return placed and known and start.stream_id == len(depths)


# Agents have sub-agents, but not to this depth.
MAX_DEPTH = 10_000
USER_CHARS = 100
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
        self._streams = StartedStreams(log)
        self._locks = NamedLocks()

    async def feed(self, part: RunPart, *, machine: str | None, any_run: bool) -> Received:
        """Appends events, and returns up to which event the run is durable. A run that begins
        belongs to the `machine`. Without `any_run`, it may send only to its own runs.

        Events that do not follow what is there are not taken: the answer says what to send from.
        """
        checked_run(part.run)
        lock = self._locks.of(part.run)
        async with lock:
            try:
                return await self._take(part, machine, any_run=any_run)
            except LogConflict:
                # Another server of the log may have taken in what came before.
                await self._log.settle()
                return await self._take(part, machine, any_run=any_run)

    async def _take(self, part: RunPart, machine: str | None, *, any_run: bool) -> Received:
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
        await self._streams.check(part.run, last, events)
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
        if not any_run and begun.machine != machine:
            raise NotItsRun(f"permission denied: {machine} did not begin run {run}")
        return begun.last_seq

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
