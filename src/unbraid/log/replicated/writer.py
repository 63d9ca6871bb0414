"""Appends to a journal: what is new of a run, after the record that is its last.

A writer knows a run's head from its last acknowledgement, or from the copy. A copy that is behind
gives an old head, and then the journal refuses the append: what decides is the comparison there,
never what anyone has read before. If another writer was first, the writer waits until the copy has
that record, and determines again which of its events are new. Raw bytes cannot be compared like
that: the bytes before them are no longer those that this writer has read, so new raw bytes are a
conflict.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from unbraid.log.fold import Line, admit
from unbraid.log.port import Appended, LogConflict, LogUnusable
from unbraid.log.replicated.copy import MAX_EVENTS, JournalCopy, JournalFollower, RunHead
from unbraid.log.replicated.journal import (
    VERSION,
    JournalRecord,
    RecordConflict,
    RecordJournal,
    encoded,
)
from unbraid.read.chunk import Chunk
from unbraid.system.locks import NamedLocks
from unbraid.timings import APPEND_DEADLINE_SECONDS

MAX_HELD_RUNS = 1024


class _WritableRun(NamedTuple):
    head: RunHead
    lock: asyncio.Lock  # kept, because making one for each append costs more than taking it


class RunWriter:
    """Appends to any number of runs, each in its own order."""

    def __init__(
        self, journal: RecordJournal, view: JournalCopy, follower: JournalFollower
    ) -> None:
        self.last_seq = 0  # of what this process was acknowledged
        self.appends = self.conflicts = 0  # of this process so far
        self._journal, self._view, self._follower = journal, view, follower
        self._heads: OrderedDict[str, _WritableRun] = OrderedDict()
        self._locks = NamedLocks()

    async def append(
        self,
        run: str,
        lines: Sequence[Line],
        *,
        offsets: Mapping[str, int],
        chunks: Sequence[Chunk],
    ) -> Appended:
        """Appends what is new; nothing is sent if nothing is."""
        async with self._locks.of(run):
            added = 0
            rest = lines
            while len(rest) > MAX_EVENTS:
                added += (await self._append(run, rest[:MAX_EVENTS], offsets={}, chunks=())).added
                rest = rest[MAX_EVENTS:]
            last = await self._append(run, rest, offsets=offsets, chunks=chunks)
            return Appended(added + last.added, last.last_seq)

    async def replace(
        self,
        run: str,
        record_for: Callable[[RunHead], JournalRecord | None],
        ttl_seconds: int | None = None,
    ) -> RunHead | None:
        """Replaces all records of a run by one, which `record_for` makes for the present state of
        the run. Returns that state; None if no record was made.
        """
        until = time.monotonic() + APPEND_DEADLINE_SECONDS
        async with self._locks.of(run):
            self._taken(run)  # another machine may have ended the run since our last append
            while True:
                head = await self._read_head(run)
                record = record_for(head)
                if record is None:
                    return None
                try:
                    seq = await self._journal.append(
                        run,
                        encoded(record),
                        after=head.seq,
                        replaces=True,
                        ttl_seconds=ttl_seconds,
                    )
                except RecordConflict as other:
                    await self._reached(other.seq, until)
                    continue
                self.last_seq = max(self.last_seq, seq)
                return head

    async def _append(
        self,
        run: str,
        lines: Sequence[Line],
        *,
        offsets: Mapping[str, int],
        chunks: Sequence[Chunk],
    ) -> Appended:
        until = time.monotonic() + APPEND_DEADLINE_SECONDS
        certain = False
        before: RunHead | None = None
        while True:
            # Taken out: after a failure or a cancellation it is unknown, and the copy is asked
            # again.
            held = self._taken(run)
            head = held or await self._read_head(run)
            try:
                fresh = await self._fresh(head, lines)
            except LogConflict:
                if certain:
                    raise
                # What we know may be old: the copy may be behind, or another machine may have
                # written since our last append.
                await self._reached((await self._journal.info()).last_seq, until)
                certain = True
                continue
            record = _record(head, fresh, offsets=offsets, chunks=chunks)
            if not (record.events or record.offsets or record.chunks):
                # The journal compares what is sent. If nothing is sent, nothing is compared. All of
                # it was there at our last append, but another machine may have forgotten the run
                # since.
                if held is not None:
                    continue
                self._hold(run, head)
                return Appended(0, head.summary.last_seq)
            if chunks and before is not None and not head.has_same(before):
                wanted, problem = head.summary.last_seq + 1, "another writer has added bytes"
                raise LogConflict(
                    run, fresh[0][0].seq if fresh else wanted, wanted, problem=problem
                )
            try:
                seq = await self._journal.append(run, await _encoded(record), after=head.seq)
            except RecordConflict as other:
                self.conflicts += 1
                before = head
                await self._reached(other.seq, until)
                continue
            self.appends += 1
            self.last_seq = max(self.last_seq, seq)
            _move(head, record, fresh=fresh, seq=seq)
            self._hold(run, head)
            return Appended(len(fresh), head.summary.last_seq)

    async def _read_head(self, run: str) -> RunHead:
        await self._follower.reached(self.last_seq, APPEND_DEADLINE_SECONDS)
        head = await self._view.head(run)
        if head.forgotten and await self._journal.record_id(head.seq) is None:
            # What said so has expired, or there is another record by now: the journal compares.
            head.seq = 0
        return head

    async def _reached(self, seq: int, until: float) -> None:
        if not await self._follower.reached(seq, max(0.0, until - time.monotonic())):
            problem = "this machine's copy has not caught up yet"
            behind = LogUnusable(self._journal.address, "behind", problem)
            raise self._follower.problem or self._follower.hindrance or behind

    async def _fresh(self, head: RunHead, lines: Sequence[Line]) -> Sequence[Line]:
        repeats = lines and 1 <= lines[0][0].seq <= head.summary.last_seq
        known = await self._known(head, lines) if repeats else {}
        return admit(head.summary, lines, lambda first, last: known)

    async def _known(self, head: RunHead, lines: Sequence[Line]) -> dict[int, bytes]:
        """Returns what a run has from the first of these lines on."""
        await self._follower.reached(head.seq, APPEND_DEADLINE_SECONDS)
        known, since = dict[int, bytes](), lines[0][0].seq - 1
        while since < head.summary.last_seq:
            page = await self._view.log.read(head.summary.run, since)
            if not page:
                break
            known |= {entry.seq: entry.data for entry in page}
            since = page[-1].seq
        return known

    def _taken(self, run: str) -> RunHead | None:
        held = self._heads.pop(run, None)
        return None if held is None else held.head

    def _hold(self, run: str, head: RunHead) -> None:
        self._heads[run] = _WritableRun(head, self._locks.of(run))
        if len(self._heads) > MAX_HELD_RUNS:
            self._heads.popitem(last=False)


def _record(
    head: RunHead, fresh: Sequence[Line], *, offsets: Mapping[str, int], chunks: Sequence[Chunk]
) -> JournalRecord:
    over = head.summary.over or (bool(fresh) and fresh[-1][0].type == "done")
    return JournalRecord(
        VERSION,
        "append",
        events=[data for _, data in fresh],
        offsets={name: at for name, at in offsets.items() if at > head.offsets.get(name, -1)},
        chunks=[]
        if over
        else [each for each in chunks if (each.source, each.offset) not in head.chunk_offsets],
    )


def _move(head: RunHead, record: JournalRecord, *, fresh: Sequence[Line], seq: int) -> None:
    """Moves a head behind a record, in place: a run of many records must not be copied with each of
    them.
    """
    if fresh:
        last = fresh[-1][0]
        head.summary.last_seq = last.seq
        if last.type == "done":
            head.summary.status = "done"
    head.offsets.update(record.offsets)
    head.chunk_offsets.update((chunk.source, chunk.offset) for chunk in record.chunks)
    head.seq, head.forgotten = seq, False


async def _encoded(record: JournalRecord) -> bytes:
    # Much at once is compressed elsewhere, so that others on the event loop need not wait.
    size = sum(map(len, record.events)) + sum(len(chunk.data) for chunk in record.chunks)
    if size < 1 << 18:
        return encoded(record)
    return await asyncio.to_thread(encoded, record)
