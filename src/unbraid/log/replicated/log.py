"""A log that many machines share: the truth is a journal, and every machine reads its own copy.

A writer knows a run's head from its last acknowledgement, or from the copy. A copy that is behind
gives an old head, and then the journal refuses the append: what decides is the comparison there,
never what anyone has read before. If another writer was first, the writer waits until the copy has
that record, and determines again which of its events are new. Raw bytes cannot be compared like
that: the bytes before them are no longer those that this writer has read, so new raw bytes are a
conflict.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar
from weakref import WeakSet

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import Entry
from unbraid.log.fold import Line, admit, checked_append
from unbraid.log.leases import Leases
from unbraid.log.port import (
    Appended,
    Found,
    LogConflict,
    LogFinding,
    LogUnusable,
    MachineRequests,
    Replication,
)
from unbraid.log.replicated.copy import (
    MAX_EVENTS,
    JournalCopy,
    RunHead,
)
from unbraid.log.replicated.journal import (
    VERSION,
    InvalidRecord,
    JournalRecord,
    RecordConflict,
    RecordJournal,
    StoredRecord,
    decoded,
    encoded,
)
from unbraid.log.sqlite.reader import SnapshotReader, SqliteReader
from unbraid.log.summary import RunSummary
from unbraid.read.chunk import Chunk
from unbraid.system.locks import NamedLocks
from unbraid.timings import (
    APPEND_DEADLINE_SECONDS,
    FOLD_RETRY_SECONDS,
    FORGOTTEN_KEPT_SECONDS,
    READ_DEADLINE_SECONDS,
)

# Reads wait so long for what this process has written, and for all that others have written.
OWN_WRITES_TIMEOUT_SECONDS = 5.0
SETTLE_TIMEOUT_SECONDS = 30.0
# A command that has just opened the log waits no longer than this before it answers.
CATCH_UP_SECONDS = 2.0

T = TypeVar("T")
P = ParamSpec("P")

_encode = msgspec.json.Encoder().encode
CUT_TOGETHER = 32


MAX_HELD_RUNS = 1024


class _WritableRun(NamedTuple):
    head: RunHead
    lock: asyncio.Lock  # kept, because making one for each append costs more than taking it


class RunWriter:
    """Appends to any number of runs, each in its own order."""

    def __init__(self, journal: RecordJournal, copy: JournalCopy) -> None:
        self.last_seq = 0  # of what this process was acknowledged
        self.appends = self.conflicts = 0  # of this process so far
        self._journal, self._copy = journal, copy
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
            self._pop_head(run)  # another machine may have ended the run since our last append
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
            # Popped: after a failure or a cancellation it is unknown, and the copy is asked
            # again.
            held = self._pop_head(run)
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
        await self._copy.reached(self.last_seq, APPEND_DEADLINE_SECONDS)
        head = await self._copy.head(run)
        if head.forgotten and await self._journal.record_id(head.seq) is None:
            # What said so has expired, or there is another record by now: the journal compares.
            head.seq = 0
        return head

    async def _reached(self, seq: int, until: float) -> None:
        if not await self._copy.reached(seq, max(0.0, until - time.monotonic())):
            problem = "this machine's copy has not caught up yet"
            behind = LogUnusable(self._journal.address, "behind", problem)
            raise self._copy.problem or self._copy.hindrance or behind

    async def _fresh(self, head: RunHead, lines: Sequence[Line]) -> Sequence[Line]:
        repeats = lines and 1 <= lines[0][0].seq <= head.summary.last_seq
        known = await self._known(head, lines) if repeats else {}
        return admit(head.summary, lines, lambda first, last: known)

    async def _known(self, head: RunHead, lines: Sequence[Line]) -> dict[int, bytes]:
        """Returns what a run has from the first of these lines on."""
        await self._copy.reached(head.seq, APPEND_DEADLINE_SECONDS)
        known, since = dict[int, bytes](), lines[0][0].seq - 1
        while since < head.summary.last_seq:
            page = await self._copy.log.read(head.summary.run, since)
            if not page:
                break
            known |= {entry.seq: entry.data for entry in page}
            since = page[-1].seq
        return known

    def _pop_head(self, run: str) -> RunHead | None:
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


class _OwnWritesFirst:
    """Reads a copy when it has what this process has written."""

    def __init__(self, readers: SnapshotReader, own_writes: Callable[[], Awaitable[None]]) -> None:
        self._readers, self._own_writes = readers, own_writes

    async def read(
        self, job: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Returns the result of a job."""
        await self._own_writes()
        return await self._readers.read(job, *args, **named)


class ReplicatedLog(SqliteReader):
    """A log over a journal, read from a copy. Every read has what this process has appended
    before.
    """

    shared = True

    def __init__(self, journal: RecordJournal, copy: JournalCopy) -> None:
        super().__init__(_OwnWritesFirst(copy.log.readers, self._own_writes), copy.log.signal)
        self.journal = journal
        self._copy, self._log = copy, copy.log
        self._writer = RunWriter(journal, copy)
        self._leases: WeakSet[Leases] = WeakSet()  # nothing else refers to an idle holder
        self._stale = False
        self._closed = False

    @property
    def copy_path(self) -> Path:
        """The file of this machine's copy."""
        return self._copy.path

    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        lines = await checked_append(run, events, offsets or {})
        self._usable()
        return await self._writer.append(run, lines, offsets=dict(offsets or {}), chunks=chunks)

    # Only the first read waits for what this process has written: a follower of what others write
    # must not fall behind with it.
    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        await self._own_writes()
        async for batch in self._log.follow(run, since):
            yield batch

    async def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        await self._own_writes()
        async for batch in self._log.follow_all(since):
            yield batch

    async def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        """Yields the raw bytes of a run that is not over, a record's at a time."""
        summary = await self.run(run)
        if summary is not None and summary.over:
            return
        head = await self._copy.head(run)
        if not head.chunk_offsets:
            return
        known: set[tuple[str, int]] = set()
        until = time.monotonic() + READ_DEADLINE_SECONDS
        while True:
            async with aclosing(self.journal.read(run)) as records:
                async for batch in records:
                    for stored in batch:
                        if stored.seq > head.seq:
                            return  # the copy has not its events yet
                        chunks = self._chunks(stored)
                        page = [each for each in chunks if (each.source, each.offset) not in known]
                        known |= {(each.source, each.offset) for each in page}
                        if page:
                            yield page
                        if stored.seq == head.seq:
                            return
            # It was read on a node that lags behind the one that acknowledged it.
            if time.monotonic() > until:
                raise LogUnusable(self.journal.address, "behind", "a node has not caught up")
            await asyncio.sleep(FOLD_RETRY_SECONDS)

    def _chunks(self, stored: StoredRecord) -> Sequence[Chunk]:
        try:
            return decoded(stored, self.journal.address).chunks
        except InvalidRecord:
            return ()  # the copy has skipped it

    async def checkup(self) -> list[LogFinding]:
        state = await self.replication()
        text = "has everything" if state.behind == 0 else f"{state.behind} records behind"
        if state.lost or state.behind is None:
            text = f"has {len(await self._log.run_names())} runs"
        is_well = state.problem is None and state.reachable
        copy = LogFinding("this machine's copy", is_well, text)
        if state.problem is not None:
            advice = "`unbraid doctor --repair` brings back what this machine's copy has"
            problem = LogFinding("log", False, state.problem, advice if state.lost else None)
            return [problem, copy]
        found = [*await self.journal.findings(), copy]
        if skipped := await self._copy.skipped():
            last = skipped[0]
            text = f"{len(skipped)} skipped, the last at {last.seq} of run {last.run}"
            advice = "somebody else writes to its subjects: look who has a credential"
            found.append(LogFinding("records", False, f"{text}: {last.problem}", advice))
        return found

    def counters(self) -> dict[str, int]:
        return {
            "appends": self._writer.appends,
            "conflicts": self._writer.conflicts,
            "feed_restarts": self._copy.restarts,
            **self.journal.counters(),
        }

    async def dead_sessions(self) -> list[str]:
        return await self.journal.leases().dead()

    def machine_requests(self) -> MachineRequests:
        return self.journal.machine_requests()

    def leases(self) -> Leases:
        leases = self.journal.leases()
        self._leases.add(leases)
        return leases

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        await self._own_writes()
        return await self._log.search(query, run=run, limit=limit)

    async def cut(self, runs: Sequence[str]) -> list[str]:
        """Takes away the events of these runs, everywhere."""
        # Each waits for the disks of the nodes: many together wait for them together.
        turns = asyncio.Semaphore(CUT_TOGETHER)

        async def cut(run: str) -> bool:
            async with turns:
                return await self._cut(run)

        is_cut = await asyncio.gather(*(cut(run) for run in runs))
        await self._own_writes()
        return [run for run, done in zip(runs, is_cut, strict=True) if done]

    async def _cut(self, run: str) -> bool:
        """Takes away the events of a run. Returns False if there is nothing to cut: another machine
        has just done so, or it has been forgotten.
        """

        def cut(head: RunHead) -> JournalRecord | None:
            has_events = head.summary.over and head.summary.bytes > 0
            return _cut_record(head.summary, head.offsets) if has_events else None

        return await self._writer.replace(run, cut) is not None

    async def put_summary(self, summary: RunSummary, offsets: Mapping[str, int]) -> None:
        """Stores what is left of a run that was cut, unless the log has events of the run."""

        def put(head: RunHead) -> JournalRecord | None:
            return None if head.summary.last_seq else _cut_record(summary, offsets)

        await self._writer.replace(summary.run, put)

    async def forget(self, run: str) -> None:

        def forget(head: RunHead) -> JournalRecord | None:
            if not (head.summary.last_seq or head.offsets):
                return None  # the run is unknown
            if not head.summary.over:
                raise CallerError(f"run {run} is live")
            return JournalRecord(VERSION, "forget")

        # What is left says so, for copies that were away; they are made anew after that long.
        await self._writer.replace(run, forget, ttl_seconds=round(FORGOTTEN_KEPT_SECONDS))
        await self._own_writes()

    async def check(self) -> None:
        """Raises LogError unless the journal answers."""
        self._usable()
        await self.journal.info()

    async def settle(self) -> None:
        if not await self._caught_up(SETTLE_TIMEOUT_SECONDS):
            raise LogUnusable(self.journal.address, "behind", "this machine's copy is behind")

    async def catch_up(self) -> None:
        """Waits for a moment for what others have written: a single question should be answered
        from the present state, while a follower gets the rest later anyway.
        """
        with suppress(LogError):
            await self._caught_up(CATCH_UP_SECONDS)

    async def _caught_up(self, seconds: float) -> bool:
        last = (await self.journal.info()).last_seq
        applied = await self._copy.applied()
        # The last record may have been one that is gone by now; then nothing will come.
        if applied >= last or not await self.journal.has_after(applied):
            return True
        return await self._copy.reached(last, seconds, even_hindered=True)

    async def replication(self) -> Replication:
        problem = self._copy.problem or self._copy.hindrance
        lost = problem is not None and problem.reason == "lost"
        applied = await self._copy.applied()
        try:
            info = await self.journal.info()
        except LogError as error:
            detail = str(problem or error)
            return Replication(
                reachable=False, applied=applied, last=None, problem=detail, lost=lost
            )
        last = max(info.last_seq, applied)
        if last > applied and not await self._has_after(applied):
            last = applied
        return Replication(
            reachable=True,
            applied=applied,
            last=last,
            problem=None if problem is None else str(problem),
            lost=lost,
        )

    async def check_copy(self) -> None:
        """Raises DamagedCopy if the file of this machine's copy is damaged."""
        await self._copy.check()

    async def has_lost_records(self) -> bool:
        """Returns whether the journal lacks what this machine's copy has of it, once that is known.
        Raises LogUnusable if the journal cannot be asked.
        """
        await self.journal.info()
        return await self._copy.has_lost_records()

    async def _has_after(self, seq: int) -> bool:
        try:
            return await self.journal.has_after(seq)
        except LogError:
            return True

    def replaced(self) -> LogUnusable | None:
        return self._log.replaced()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            for leases in list(self._leases):
                await leases.close(ended=False)
            await self._copy.close()
            await self.journal.close()

    def _usable(self) -> None:
        if self._closed:
            raise LogUnusable(self.journal.address, "closed", "the log is closed")
        if self._copy.problem is not None:
            raise self._copy.problem

    async def _own_writes(self) -> None:
        """Waits until the copy has what was acknowledged to this process. While the journal cannot
        be reached, that may never happen, and what is here is still worth reading: then only the
        first reader waits.
        """
        wanted = self._writer.last_seq
        if self._copy.problem is None and not (self._stale and not self._copy.connected):
            reached = await self._copy.reached(wanted, OWN_WRITES_TIMEOUT_SECONDS)
            self._stale = not reached


def _cut_record(summary: RunSummary, offsets: Mapping[str, int]) -> JournalRecord:
    left = replace(summary, bytes=0, first_seq=summary.last_seq + 1)
    return JournalRecord(VERSION, "cut", offsets=dict(offsets), summary=_encode(left))
