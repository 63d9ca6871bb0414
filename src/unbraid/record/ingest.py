"""Chunks of any number of runs, as they come over HTTP: by offset, acknowledged when durable.

Each run has a `Recorder` while a machine sends to it. A recorder can be dropped at any time between
two chunks, because what rebuilds it is in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unbraid.errors import CallerError, LogError
from unbraid.log.origin import RunOrigin
from unbraid.log.port import Log, LogConflict
from unbraid.read.chunk import Chunk
from unbraid.read.names import check_names
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
                return await self._take(run, owner, chunk, end=end)
            except (MissingBytes, LogError) as error:
                # The sender may record the same run into this log itself, and have been faster; or
                # another server of a shared log may have taken in what came before.
                if not isinstance(error, LogConflict) and not self._log.shared:
                    raise
                await self._catch_up(run)
                # Asked again: only now it may be known that it is another machine's run.
                owner = await self._owner(run, machine, any_run=any_run)
                return await self._take(run, owner, chunk, end=end)

    async def _catch_up(self, run: str) -> None:
        """Forgets what is known of a run, and waits until the log has what others have written."""
        self._live.pop(run, None)
        await self._log.settle()

    async def _take(self, run: str, machine: str | None, chunk: Chunk, *, end: bool) -> int:
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
        if not any_run and owner != machine:
            raise NotItsRun(f"permission denied: {machine} did not begin run {run}")
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
        origin = RunOrigin(machine)
        if not self._redact:
            recorder = await Recorder.open(
                self._log, run, origin=origin, pipeline=self._pipeline, turns=self._turns
            )
            return _Live(recorder, None, machine)
        from unbraid.redact.source import OVERLONG_BYTES, SourceRedactor

        redactor = SourceRedactor(OVERLONG_BYTES)
        recorder = await Recorder.open(
            self._log,
            run,
            redact=True,
            origin=origin,
            pipeline=self._pipeline,
            replayed=redactor.seen,
            turns=self._turns,
        )
        return _Live(recorder, redactor, machine)


def _parts(chunk: Chunk) -> Iterator[Chunk]:
    source, offset, data, _ = chunk
    for start in range(0, len(data), CHUNK_BYTES):
        yield Chunk(source, offset + start, data[start : start + CHUNK_BYTES])
