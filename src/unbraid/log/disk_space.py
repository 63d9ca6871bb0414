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
from unbraid.log.port import Log, every_run, runs_to_cut


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
    named, freed = list(dict.fromkeys(runs)), 0
    for run in named:
        summary = await log.run(run)
        if summary is None:
            raise CallerError(f"run not found: {run}; deleting one needs its complete id")
        if not summary.over:
            raise CallerError(f"run {run} is live")
        freed += summary.bytes
    listed = [summary async for summary in every_run(log)]
    # An event takes more than its own bytes: there are its indexes, and a copy of its words.
    held = sum(each.bytes for each in listed)
    factor = size.content / held if held else 0.0

    def used_without(more: int) -> float:
        return size.used - (freed + more) * factor

    cut = runs_to_cut(
        (each for each in listed if each.run not in named),
        newer_than_ms=newer_than_ms,
        is_too_large=lambda more: (
            max_file_bytes is not None and used_without(more) > max_file_bytes
        ),
    )
    after = max(round(used_without(sum(each.bytes for each in cut))), 0)
    cut_names = [each.run for each in cut]
    expected = Pruned(named + cut_names, size.total, after, dry_run=True)
    return PrunePlan(log, named, cut_names, expected)


async def log_bytes(file: Path) -> int:
    """Returns what the files of a log take on the disk."""

    def size() -> int:
        return sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))

    return await asyncio.to_thread(size)
