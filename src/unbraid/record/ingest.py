"""Bytes of sources in, events of runs in the log: resumable by offset, acknowledged when durable.

A run's pipeline lives in memory; what rebuilds it is in the log. Each piece of bytes is spooled in
the transaction that appends the events it gave, so after a restart the same bytes, with the same
clock, give the same events again, and the pipeline stands exactly where the log does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakValueDictionary

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import one_line
from unbraid.log.port import Log, Spooled
from unbraid.wire.names import checked_run, checked_source

# Translating is pure computing on the event loop: others get a turn after each piece.
PIECE_BYTES = 128 * 1024


class Pipeline(Protocol):
    """What turns a run's bytes into its events."""

    def feed(self, data: bytes, source: str, now: int) -> list[FleetEvent]:
        """More bytes of a source."""
        ...

    def finish(self, now: int) -> list[FleetEvent]:
        """The end of all sources, and of the run."""
        ...


class Redactor(Protocol):
    """What masks secrets; the same input must always give the same output."""

    def lines(self, source: str, data: bytes, *, end: bool) -> bytes:
        """As much of a source's next bytes as is decided, masked, not one byte more or less."""
        ...

    def seen(self, source: str, data: bytes) -> None:
        """Bytes that it gave out before a restart, in any pieces."""
        ...

    def events(self, events: list[FleetEvent]) -> list[FleetEvent]:
        """Events of a run, masked."""
        ...


class Hole(CallerError):
    """Bytes before these are missing; `wanted` is the place to send from."""

    def __init__(self, wanted: int) -> None:
        super().__init__(f"bytes are missing before these: send from {wanted}")
        self.wanted = wanted


class RunOver(CallerError):
    """More bytes for a run that is over."""


class TooManyRuns(CallerError):
    """As many runs send at this moment as this process takes."""


@dataclass
class _Live:
    pipeline: Pipeline
    redactor: Redactor | None
    offsets: dict[str, int]
    over: bool
    last_seq: int = 0
    ended: set[str] = field(default_factory=set)


class Ingest:
    """Takes in bytes for any number of runs."""

    def __init__(
        self,
        log: Log,
        pipeline: Callable[[], Pipeline],
        *,
        redactor: Callable[[], Redactor] | None = None,
        max_runs: int = 1000,
    ) -> None:
        self._log, self._pipeline, self._redactor = log, pipeline, redactor
        self._max_runs = max_runs
        self._live: dict[str, _Live] = {}
        # Weak: a lock is there for as long as someone holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def runs(self) -> int:
        """How many runs are being taken in."""
        return len(self._live)

    async def feed(
        self, run: str, source: str, offset: int, data: bytes, *, now: int, end: bool = False
    ) -> int:
        """Take in bytes of a source that begin at `offset`; `end` says that no more will come.

        Returns the next place wanted: everything before it is durable. What was sent before is
        skipped. The run is over when every source that has sent something has ended.
        """
        checked_run(run)
        checked_source(source)
        async with self._lock(run):
            return await self._take(run, source, offset, data, now, end=end)

    async def abandon(self, run: str, *, now: int) -> None:
        """End a run whose sources will send no more."""
        async with self._lock(run):
            live = await self._load(run)
            if not live.over:
                await self._commit(run, live, [], {}, live.pipeline.finish(now))

    async def _take(
        self, run: str, source: str, offset: int, data: bytes, now: int, *, end: bool
    ) -> int:
        live = await self._load(run)
        wanted = live.offsets.get(source, 0)
        if offset > wanted:
            raise Hole(wanted)
        fresh = data[wanted - offset :]
        if live.over:
            if fresh:
                raise RunOver(f"run {run} is over")
            return wanted
        if source in live.ended and fresh:
            raise RunOver(f"source {source} of run {run} has ended")
        if live.redactor is not None:
            # A secret must not be cut in two: the sender keeps what is not decided yet.
            fresh = live.redactor.lines(source, fresh, end=end)
        for start in range(0, len(fresh), PIECE_BYTES):
            piece = Spooled(source, wanted, now, fresh[start : start + PIECE_BYTES])
            wanted += len(piece.data)
            events = live.pipeline.feed(piece.data, source, now)
            await self._commit(run, live, [piece], {source: wanted}, events)
            await asyncio.sleep(0)
        if end and source not in live.ended:
            live.ended.add(source)
            # Nothing is ever spooled empty but an end.
            mark = Spooled(source, wanted, now, b"")
            last = live.ended >= (live.offsets.keys() | {source})
            events = live.pipeline.finish(now) if last else []
            await self._commit(run, live, [mark], {source: wanted}, events)
        return wanted

    async def _commit(
        self,
        run: str,
        live: _Live,
        spool: list[Spooled],
        offsets: dict[str, int],
        events: list[FleetEvent],
    ) -> None:
        if live.redactor is not None:
            events = live.redactor.events(events)
        try:
            appended = await self._log.append(run, events, offsets=offsets, spool=spool)
        except BaseException:
            # The pipeline is now ahead of the log, or may be: the next to come rebuilds it.
            self._live.pop(run, None)
            raise
        live.offsets.update(offsets)
        live.last_seq = appended.last_seq
        if events and events[-1].type == "done":
            live.over = True
            self._live.pop(run, None)

    def _lock(self, run: str) -> asyncio.Lock:
        lock = self._locks.get(run)
        if lock is None:
            lock = self._locks[run] = asyncio.Lock()
        return lock

    async def _load(self, run: str) -> _Live:
        # Taken out and put back: the first in the dict is the one used longest ago.
        live = self._live.pop(run, None) or await self._rebuild(run)
        if not live.over:
            self._make_room()
            self._live[run] = live
        return live

    def _make_room(self) -> None:
        if len(self._live) < self._max_runs:
            return
        # Nobody is at it, and its bytes are in the spool: it can come back whenever it is wanted.
        idle = next((run for run in self._live if run not in self._locks), None)
        if idle is None:
            raise TooManyRuns(f"{self._max_runs} runs are being taken in already")
        del self._live[idle]

    async def _rebuild(self, run: str) -> _Live:
        summary = await self._log.run(run)
        redactor = None if self._redactor is None else self._redactor()
        live = _Live(self._pipeline(), redactor, await self._log.offsets(run), over=False)
        if summary is None:
            return live
        live.over, live.last_seq = summary.over, summary.last_seq
        if not live.over:
            await self._replay(run, live)
        return live

    async def _replay(self, run: str, live: _Live) -> None:
        count, last = 0, None
        for part in await self._log.spooled(run):
            if not part.data:
                live.ended.add(part.source)
                continue
            events = live.pipeline.feed(part.data, part.source, part.arrived_ms)
            if live.redactor is not None:
                live.redactor.seen(part.source, part.data)
                events = live.redactor.events(events)
            count += len(events)
            last = events[-1] if events else last
            await asyncio.sleep(0)
        stored = await self._log.read(run, live.last_seq - 1, 1)
        same = not stored or (last is not None and one_line(last) == stored[0].data)
        if count != live.last_seq or not same:
            # Another version of the translator, or events that did not come through here. Going on
            # would tell the run twice, or wrongly.
            problem = f"its bytes now give {count} events, the log has {live.last_seq}"
            raise LogError(f"run {run} cannot go on: {problem}")
