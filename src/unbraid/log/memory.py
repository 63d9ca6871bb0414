"""A log in memory: for tests, for `cat` and `tree`, and the plain statement of what every backend
does.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError
from unbraid.events import FleetEvent, FleetRetracted
from unbraid.fleet.query import Query
from unbraid.log.admission import admit, checked_append
from unbraid.log.entry import Entry, entry_of
from unbraid.log.memory_leases import LeaseTable, MemoryLeases
from unbraid.log.port import READ_LIMIT, Appended, Found, LogSize, LogUnusable
from unbraid.log.replay import Signal, follow_run, follow_runs
from unbraid.log.search_blocks import (
    RETRACTED,
    IndexedBlock,
    RankedResult,
    SearchBlocks,
    best_first,
)
from unbraid.log.summary import RunSummary, select_runs
from unbraid.wire.chunk import Chunk


@dataclass
class _Run:
    summary: RunSummary
    entries: list[Entry] = field(default_factory=list)
    offsets: dict[str, int] = field(default_factory=dict)
    chunks: list[Chunk] = field(default_factory=list)
    blocks: SearchBlocks = field(default_factory=SearchBlocks)
    said: list[IndexedBlock] = field(default_factory=list)

    def stored(self, first: int, last: int) -> dict[int, bytes]:
        """Returns what is kept of the events from `first` to `last`."""
        return {entry.seq: entry.data for entry in self.entries if first <= entry.seq <= last}


class MemoryLog:
    """A log that lives as long as its process."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._all: dict[int, Entry] = {}
        self._last_cursor = 0
        self._signal = Signal()
        self._leases = LeaseTable()
        self._closed = False

    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        """Stores events, offsets and raw bytes together, or none of them. Returns how many events
        were new.
        """
        await self.check()
        lines, checked = await checked_append(run, events, offsets)
        held = self._runs.get(run) or _Run(RunSummary(run))
        fresh = admit(held.summary, lines, held.stored)
        self._runs[run] = held
        entries, summary, blocks = held.entries, held.summary, held.blocks
        for cursor, (event, data) in enumerate(fresh, self._last_cursor + 1):
            entry = self._all[cursor] = entry_of(run, event, data, cursor=cursor)
            entries.append(entry)
            summary.fold(event, len(data))
            held.said += blocks.feed(event)
            if type(event) is FleetRetracted:
                held.said = [
                    replace(said, kind=RETRACTED)
                    if said.stream_id == event.stream_id and said.message_id in event.message_ids
                    else said
                    for said in held.said
                ]
        self._last_cursor += len(fresh)
        for name, at in checked.items():
            held.offsets[name] = max(at, held.offsets.get(name, 0))
        known = {(part.source, part.offset) for part in held.chunks}
        held.chunks += [part for part in chunks if (part.source, part.offset) not in known]
        if held.summary.over:
            held.chunks.clear()
        if fresh:
            self._signal.change()
        # Others get a turn, as with every log that really waits for a disk.
        await asyncio.sleep(0)
        return Appended(len(fresh), held.summary.last_seq)

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Returns events of a run after `since`."""
        await asyncio.sleep(0)
        held = self._runs.get(run)
        if held is None:
            return []
        start = bisect_right(held.entries, since, key=lambda entry: entry.seq)
        if stream_id is None and not types:
            return held.entries[start : start + limit]
        wanted = (
            entry
            for entry in islice(held.entries, start, None)
            if (stream_id is None or entry.stream_id == stream_id)
            and (not types or entry.type in types)
        )
        return list(islice(wanted, limit))

    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        """Returns events of all runs after the cursor `since`."""
        await asyncio.sleep(0)
        kept = (self._all.get(cursor) for cursor in range(since + 1, self._last_cursor + 1))
        return list(islice((entry for entry in kept if entry is not None), limit))

    def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields events of a run, replayed and then live."""
        return follow_run(self, self._signal, run, since)

    def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        """Yields events of all runs, replayed and then live."""
        return follow_runs(self, self._signal, since)

    async def bounds(self) -> tuple[int, int]:
        """Returns the first cursor kept, the last given."""
        return next(iter(self._all), self._last_cursor + 1), self._last_cursor

    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary, as it is now."""
        held = self._runs.get(run)
        return None if held is None else _copy(held.summary)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns runs, last started first."""
        kept = [held.summary for held in self._runs.values() if held.summary.last_seq]
        wanted = select_runs(kept, status=status, matching=matching, before=before)
        return [_copy(summary) for summary in islice(wanted, limit)]

    async def offsets(self, run: str) -> dict[str, int]:
        """Returns each source's offset."""
        held = self._runs.get(run)
        return {} if held is None else dict(held.offsets)

    async def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        """Yields the raw bytes of a run that is not over, at once: they are in memory."""
        held = self._runs.get(run)
        if held is not None:
            yield list(held.chunks)

    async def run_names(self, prefix: str = "") -> list[str]:
        """Returns the names of runs that begin with `prefix`."""
        named = (name for name, held in self._runs.items() if held.summary.last_seq)
        return sorted(name for name in named if name.startswith(prefix))

    async def runs_of(self, session: str) -> list[RunSummary]:
        """Returns the runs of a session, last started first."""
        kept = [
            held.summary
            for name, held in self._runs.items()
            if held.summary.last_seq and session in (name, held.summary.session_id)
        ]
        return [_copy(each) for each in select_runs(kept, status=None, matching=None, before=None)]

    async def count_runs(self) -> int:
        """Returns how many runs there are."""
        return sum(held.summary.last_seq > 0 for held in self._runs.values())

    def leases(self) -> MemoryLeases:
        """Returns leases on the runs of this log."""
        return MemoryLeases(self._leases)

    async def retain(
        self, *, newer_than_ms: int | None = None, max_bytes: int | None = None
    ) -> list[str]:
        """Takes away the events of runs that are over."""
        total = sum(held.summary.bytes for held in self._runs.values())
        removed, freed = [], 0
        over = [h.summary for h in self._runs.values() if h.summary.over and h.summary.bytes]
        for summary in sorted(over, key=lambda summary: summary.updated):
            old = newer_than_ms is not None and summary.updated < newer_than_ms
            if old or (max_bytes is not None and total - freed > max_bytes):
                removed.append(summary.run)
                freed += summary.bytes
        return await self.cut(removed)

    async def size(self) -> LogSize:
        """Returns how many bytes of events the log holds."""
        total = sum(held.summary.bytes for held in self._runs.values())
        return LogSize(total, total, total)

    async def cut(self, runs: Sequence[str]) -> list[str]:
        """Takes away the events of these runs."""
        found = [self._runs[run] for run in runs if run in self._runs]
        cut = [held for held in found if held.summary.over and held.summary.bytes]
        for held in cut:
            self._cut(held)
        return [held.summary.run for held in cut]

    async def forget(self, run: str) -> None:
        """Deletes a run that is over."""
        held = self._runs.get(run)
        if held is not None:
            if not held.summary.over:
                raise CallerError(f"run {run} is live")
            self._cut(held)
            del self._runs[run]

    async def check(self) -> None:
        """Raises LogUnusable if the log is closed."""
        if self._closed:
            raise LogUnusable("memory", "closed", "the log is closed")

    async def close(self) -> None:
        """Closes the log: it accepts nothing more."""
        self._closed = True

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns where agents said it."""
        wanted, found = Query(query), list[RankedResult]()
        held_runs = [self._runs[run]] if run in self._runs else []
        for held in self._runs.values() if run is None else held_runs:
            for said in held.said if wanted else ():
                if (match := wanted.match(said.text)) is not None:
                    result = said.result(held.summary.run, match.snippet)
                    found.append(RankedResult(match.rank, result))
        return best_first(found, limit)

    def _cut(self, held: _Run) -> int:
        for entry in held.entries:
            del self._all[entry.cursor]
        held.entries.clear()
        held.said.clear()
        freed, held.summary.bytes = held.summary.bytes, 0
        held.summary.first_seq = held.summary.last_seq + 1
        return freed


def _copy(summary: RunSummary) -> RunSummary:
    return msgspec.convert(msgspec.to_builtins(summary), RunSummary)
