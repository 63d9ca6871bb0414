"""Deletes old runs from a log, for people without a server that does it.

What goes is chosen once, from one measurement, and can be shown before it happens. A second round
would have to measure what the first one has freed, and beside other processes it cannot: a reader
keeps deleted pages in use, and what others write meanwhile would be paid for with old runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.log.port import Log, every_run


class Pruned(Struct):
    """The runs that were deleted, and the size of the log before and after. With `dry_run` nothing
    was deleted, and the size after is an estimate.
    """

    runs: list[str]
    bytes_before: int
    bytes_after: int
    dry_run: bool = False


class PrunePlan:
    """What a prune will delete: named runs completely, the content of others. Made by
    `plan_prune`.
    """

    def __init__(self, log: Log, forgotten: list[str], cut: list[str], expected: Pruned) -> None:
        self._log, self._forgotten, self._cut = log, forgotten, cut
        self.expected = expected

    async def carry_out(self) -> Pruned:
        """Deletes exactly these runs and gives back the space. Returns what was deleted."""
        log = self._log
        for run in self._forgotten:
            await log.forget(run)
        gone = self._forgotten + await log.cut(self._cut)
        await log.vacuum()
        return Pruned(gone, self.expected.bytes_before, (await log.size()).total)


async def plan_prune(
    log: Log,
    *,
    newer_than_ms: int | None = None,
    max_file_bytes: float | None = None,
    runs: Iterable[str] = (),
) -> PrunePlan:
    """Chooses the runs with these names, then those last changed before a time, then the oldest
    until the log fits. Raises CallerError if a named run is not there, or is not over.
    """
    size = await log.size()
    named, over, held = list(dict.fromkeys(runs)), list[tuple[int, str, int]](), 0
    freed = 0
    for run in named:
        summary = await log.run(run)
        if summary is None:
            raise CallerError(f"run not found: {run}; deleting one needs its complete id")
        if not summary.over:
            raise CallerError(f"run {run} is live")
        freed += summary.bytes
    async for each in every_run(log):
        held += each.bytes
        if each.over and each.bytes and each.run not in named:
            over.append((each.updated, each.run, each.bytes))
    # An event takes more than its own bytes: there are its indexes, and a copy of its words.
    factor = size.content / held if held else 0.0
    cut = []
    for updated, run, run_bytes in sorted(over):
        old = newer_than_ms is not None and updated < newer_than_ms
        large = max_file_bytes is not None and size.used - freed * factor > max_file_bytes
        if old or large:
            cut.append(run)
            freed += run_bytes
    after = max(round(size.used - freed * factor), 0)
    return PrunePlan(log, named, cut, Pruned(named + cut, size.total, after, dry_run=True))


async def log_bytes(file: Path) -> int:
    """Returns what the files of a log take on the disk."""

    def size() -> int:
        return sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))

    return await asyncio.to_thread(size)
