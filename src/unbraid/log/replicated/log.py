"""A log that many machines share: the truth is a journal, and every machine reads its own copy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from weakref import WeakSet

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import Entry
from unbraid.log.fold import checked_append
from unbraid.log.leases import Leases, SharedLeases
from unbraid.log.port import (
    READ_LIMIT,
    Appended,
    Found,
    Log,
    LogFinding,
    LogSize,
    LogUnusable,
    MachineRequests,
    Replication,
)
from unbraid.log.replicated.copy import JournalCopy, JournalFollower, RunHead, SkippedRecord
from unbraid.log.replicated.journal import (
    VERSION,
    InvalidRecord,
    JournalRecord,
    RecordJournal,
    StoredRecord,
    decoded,
)
from unbraid.log.replicated.writer import RunWriter
from unbraid.log.summary import RunSummary
from unbraid.read.chunk import Chunk
from unbraid.timings import FOLD_RETRY_SECONDS, FORGOTTEN_KEPT_SECONDS, READ_DEADLINE_SECONDS

# Reads wait so long for what this process has written, and for all that others have written.
OWN_WRITES_TIMEOUT_SECONDS = 5.0
SETTLE_TIMEOUT_SECONDS = 30.0
# A command that has just opened the log waits no longer than this before it answers.
CATCH_UP_SECONDS = 2.0

_encode = msgspec.json.Encoder().encode
CUT_TOGETHER = 32


class ReplicatedLog(Log):
    """A log over a journal. Every read has what this process has appended before."""

    shared = True

    def __init__(
        self,
        journal: RecordJournal,
        view: JournalCopy,
        follower: JournalFollower,
        leases: Callable[[], SharedLeases],
        *,
        requests: MachineRequests,
    ) -> None:
        super().__init__(view.log.signal)
        self.journal = journal
        self._view, self._follower, self._make_leases = view, follower, leases
        self._log = view.log
        self._writer = RunWriter(journal, view, follower)
        self._requests = requests
        self._leases: WeakSet[Leases] = WeakSet()  # nothing else refers to an idle holder
        self._stale = False
        self._closed = False

    @property
    def copy_path(self) -> Path:
        """The file of this machine's copy."""
        return self._view.path

    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        """Commits events, offsets and raw bytes as one record. Returns how many events were new."""
        lines, checked = await checked_append(run, events, offsets)
        self._usable()
        return await self._writer.append(run, lines, offsets=checked, chunks=chunks)

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        await self._own_writes()
        return await self._log.read(run, since, limit, stream_id=stream_id, types=types)

    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        await self._own_writes()
        return await self._log.read_all(since, limit)

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

    async def bounds(self) -> tuple[int, int]:
        await self._own_writes()
        return await self._log.bounds()

    async def run(self, run: str) -> RunSummary | None:
        await self._own_writes()
        return await self._log.run(run)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        await self._own_writes()
        return await self._log.runs(status=status, matching=matching, limit=limit, before=before)

    async def offsets(self, run: str) -> dict[str, int]:
        await self._own_writes()
        return await self._log.offsets(run)

    async def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        """Yields the raw bytes of a run that is not over, a record's at a time."""
        summary = await self.run(run)
        if summary is not None and summary.over:
            return
        head = await self._view.head(run)
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

    async def run_names(self, prefix: str = "") -> list[str]:
        await self._own_writes()
        return await self._log.run_names(prefix)

    async def runs_of(self, session: str) -> list[RunSummary]:
        await self._own_writes()
        return await self._log.runs_of(session)

    async def count_runs(self) -> int:
        await self._own_writes()
        return await self._log.count_runs()

    async def checkup(self) -> list[LogFinding]:
        state = await self.replication()
        copy = copy_finding(state, await self._log.count_runs())
        if (problem := problem_finding(state)) is not None:
            return [problem, copy]
        skipped = skipped_findings(await self._view.skipped())
        return [*await self.journal.findings(), copy, *skipped]

    def counters(self) -> dict[str, int]:
        return {
            "appends": self._writer.appends,
            "conflicts": self._writer.conflicts,
            "feed_restarts": self._follower.restarts,
            **self.journal.counters(),
        }

    async def dead_sessions(self) -> list[str]:
        return await self._make_leases().dead()

    def machine_requests(self) -> MachineRequests:
        return self._requests

    def leases(self) -> Leases:
        """Returns leases on the runs of this log, over all machines."""
        leases = self._make_leases()
        self._leases.add(leases)
        return leases

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        await self._own_writes()
        return await self._log.search(query, run=run, limit=limit)

    async def size(self) -> LogSize:
        """Returns how large this machine's copy is."""
        await self._own_writes()
        return await self._log.size()

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
        applied = await self._follower.applied()
        # The last record may have been one that is gone by now; then nothing will come.
        if applied >= last or not await self.journal.has_after(applied):
            return True
        return await self._follower.reached(last, seconds, even_hindered=True)

    async def replication(self) -> Replication:
        problem = self._follower.problem or self._follower.hindrance
        lost = problem is not None and problem.reason == "lost"
        applied = await self._follower.applied()
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
        await self._view.check()

    async def has_lost_records(self) -> bool:
        """Returns whether the journal lacks what this machine's copy has of it, once that is known.
        Raises LogUnusable if the journal cannot be asked.
        """
        await self.journal.info()
        return await self._follower.has_lost_records()

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
            await self._follower.close()
            await self.journal.close()
            await self._log.close()

    def _usable(self) -> None:
        if self._closed:
            raise LogUnusable(self.journal.address, "closed", "the log is closed")
        if self._follower.problem is not None:
            raise self._follower.problem

    async def _own_writes(self) -> None:
        """Waits until the copy has what was acknowledged to this process. While the journal cannot
        be reached, that may never happen, and what is here is still worth reading: then only the
        first reader waits.
        """
        wanted = self._writer.last_seq
        if self._follower.problem is None and not (self._stale and not self._follower.connected):
            reached = await self._follower.reached(wanted, OWN_WRITES_TIMEOUT_SECONDS)
            self._stale = not reached


def _cut_record(summary: RunSummary, offsets: Mapping[str, int]) -> JournalRecord:
    left = replace(summary, bytes=0, first_seq=summary.last_seq + 1)
    return JournalRecord(VERSION, "cut", offsets=dict(offsets), summary=_encode(left))


def copy_finding(state: Replication, run_count: int) -> LogFinding:
    """Returns how complete the copy is."""
    text = "has everything" if state.behind == 0 else f"{state.behind} records behind"
    if state.lost or state.behind is None:
        text = f"has {run_count} runs"
    return LogFinding("this machine's copy", state.problem is None and state.reachable, text)


def problem_finding(state: Replication) -> LogFinding | None:
    """Returns why the copy cannot be brought up to date; None if it can."""
    if state.problem is None:
        return None
    advice = "`unbraid doctor --repair` brings back what this machine's copy has"
    return LogFinding("log", False, state.problem, advice=advice if state.lost else None)


def skipped_findings(skipped: Sequence[SkippedRecord]) -> list[LogFinding]:
    """Returns which records no copy could apply, newest first; nothing if there are none."""
    if not skipped:
        return []
    last = skipped[0]
    text = f"{len(skipped)} skipped, the last at {last.seq} of run {last.run}: {last.problem}"
    advice = "somebody else writes to its subjects: look who has a credential"
    return [LogFinding("records", False, text, advice=advice)]
