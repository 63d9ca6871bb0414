"""A log in memory: for tests, for `cat` and `tree`, and the plain statement of what every backend
does. Its leases are between the parts of one process, as others are between processes.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

import msgspec

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import Entry, entry_of
from unbraid.log.fold import RunFold, checked_append
from unbraid.log.leases import UNNAMED, Leases
from unbraid.log.port import READ_LIMIT, Appended, Log, LogSize, LogUnusable, unknown_address
from unbraid.log.summary import RunSummary, select_runs
from unbraid.read.chunk import Chunk
from unbraid.read.names import names_run


@dataclass
class LeaseTable:
    """The holders of the leases in one log; None if the holder stopped before the end."""

    holders: dict[str, MemoryLeases | None] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    numbers: count[int] = field(default_factory=lambda: count(1))


class MemoryLeases(Leases):
    """The leases of one part of a process."""

    def __init__(self, table: LeaseTable) -> None:
        self._table = table

    async def acquire(self, name: str) -> bool:
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        if self._table.holders.get(name) not in (None, self):
            return False
        self._table.holders[name] = self
        return True

    async def release(self, name: str) -> None:
        if self._table.holders.get(name) is self:
            del self._table.holders[name]

    def is_held(self, name: str) -> bool:
        return self._table.holders.get(name) is not None

    def acquire_unnamed(self) -> str:
        name = f"{UNNAMED}{next(self._table.numbers)}"
        self._table.holders[name] = self
        return name

    def another_is_starting(self) -> bool:
        return any(
            name.startswith(UNNAMED) and holder not in (None, self)
            for name, holder in self._table.holders.items()
        )

    def mark_part_of_other_run(self, name: str) -> None:
        self._table.parts.add(name)

    def is_part_of_other_run(self, name: str) -> bool:
        return name in self._table.parts

    async def abandoned(self) -> list[str]:
        held = self._table.holders.items()
        return [name for name, holder in held if holder is None and not name.startswith(UNNAMED)]

    async def close(self, *, ended: bool) -> None:
        for name, holder in list(self._table.holders.items()):
            if holder is self and ended:
                del self._table.holders[name]
            elif holder is self:
                self._table.holders[name] = None


@dataclass
class _Run:
    fold: RunFold
    entries: list[Entry] = field(default_factory=list)
    offsets: dict[str, int] = field(default_factory=dict)
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def summary(self) -> RunSummary:
        """What the events so far have made of it."""
        return self.fold.summary

    def stored(self, first: int, last: int) -> dict[int, bytes]:
        """Returns what is kept of the events from `first` to `last`."""
        return {entry.seq: entry.data for entry in self.entries if first <= entry.seq <= last}


class MemoryLog(Log):
    """A log that lives as long as its process."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[str, _Run] = {}
        self._all: dict[int, Entry] = {}
        self._last_cursor = 0
        self._leases = LeaseTable()
        self._closed = False

    @classmethod
    async def open_url(
        cls, url: str, env: Mapping[str, str], *, even_away: bool = False
    ) -> MemoryLog:
        """Returns a new log; `memory:` is its whole address."""
        if url.partition(":")[2].strip("/"):
            raise unknown_address(url)
        return cls()

    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        await self.check()
        lines = await checked_append(run, events, offsets or {})
        held = self._runs.get(run) or _Run(RunFold(RunSummary(run)))
        fresh = held.fold.append(lines, held.stored).lines
        self._runs[run] = held
        for cursor, (event, data) in enumerate(fresh, self._last_cursor + 1):
            entry = self._all[cursor] = entry_of(run, event, data, cursor=cursor)
            held.entries.append(entry)
        self._last_cursor += len(fresh)
        for name, at in (offsets or {}).items():
            held.offsets[name] = max(at, held.offsets.get(name, 0))
        known = {(part.source, part.offset) for part in held.chunks}
        held.chunks += [part for part in chunks if (part.source, part.offset) not in known]
        if held.summary.over:
            held.chunks.clear()
        if fresh:
            self.signal.change()
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
        await asyncio.sleep(0)
        kept = (self._all.get(cursor) for cursor in range(since + 1, self._last_cursor + 1))
        return list(islice((entry for entry in kept if entry is not None), limit))

    async def bounds(self) -> tuple[int, int]:
        return next(iter(self._all), self._last_cursor + 1), self._last_cursor

    async def run(self, run: str) -> RunSummary | None:
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
        kept = [held.summary for held in self._runs.values() if held.summary.last_seq]
        wanted = select_runs(kept, status=status, matching=matching, before=before)
        return [_copy(summary) for summary in islice(wanted, limit)]

    async def offsets(self, run: str) -> dict[str, int]:
        held = self._runs.get(run)
        return {} if held is None else dict(held.offsets)

    async def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        """Yields the raw bytes of a run that is not over, at once: they are in memory."""
        held = self._runs.get(run)
        if held is not None:
            yield list(held.chunks)

    def leases(self) -> MemoryLeases:
        return MemoryLeases(self._leases)

    async def size(self) -> LogSize:
        total = sum(held.summary.bytes for held in self._runs.values())
        return LogSize(total, total, total)

    async def cut(self, runs: Sequence[str]) -> list[str]:
        found = [self._runs[run] for run in runs if run in self._runs]
        cut = [held for held in found if held.summary.over and held.summary.bytes]
        for held in cut:
            self._cut(held)
        return [held.summary.run for held in cut]

    async def forget(self, run: str) -> None:
        held = self._runs.get(run)
        if held is not None:
            if not held.summary.over:
                raise CallerError(f"run {run} is live")
            self._cut(held)
            del self._runs[run]

    async def check(self) -> None:
        if self._closed:
            raise LogUnusable("memory", "closed", "the log is closed")

    async def close(self) -> None:
        self._closed = True

    def _cut(self, held: _Run) -> None:
        for entry in held.entries:
            del self._all[entry.cursor]
        held.entries.clear()
        held.summary.bytes, held.summary.first_seq = 0, held.summary.last_seq + 1


def _copy(summary: RunSummary) -> RunSummary:
    return msgspec.convert(msgspec.to_builtins(summary), RunSummary)
