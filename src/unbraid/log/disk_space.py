"""Deletes old runs from a log, for people without a server that does it.

People count the bytes of a file, and a log counts those of its events. The file holds more: the
index, the tables. So a size is reached in a few steps, each by the proportion that the last one
has shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.log.port import Log, every_run

MAX_STEPS = 5


class Pruned(Struct):
    """The runs that were deleted, and the size of the log's files before and after."""

    runs: list[str]
    bytes_before: int
    bytes_after: int


async def pruned(
    log: Log,
    *,
    newer_than_ms: int | None = None,
    max_file_bytes: float | None = None,
    runs: Iterable[str] = (),
    file: Path,
) -> Pruned:
    """Deletes the runs with these names, then those last changed before a time, then the oldest
    until the file fits. Returns what was deleted. Raises CallerError if a named run is not there,
    or is not over.
    """
    before, gone = await log_bytes(file), list(dict.fromkeys(runs))
    # Check all of them first: if one name is wrong, no other run is deleted either.
    for run in gone:
        summary = await log.run(run)
        if summary is None:
            raise CallerError(f"run not found: {run}; deleting one needs its complete id")
        if not summary.over:
            raise CallerError(f"run {run} is live")
    for run in gone:
        await log.forget(run)
    if newer_than_ms is not None:
        gone += await log.retain(newer_than_ms=newer_than_ms)
    await log.vacuum()
    if max_file_bytes is not None:
        gone += await _fit(log, file, max_file_bytes)
    return Pruned(gone, before, await log_bytes(file))


async def _fit(log: Log, file: Path, most: float) -> list[str]:
    gone: list[str] = []
    for _ in range(MAX_STEPS):
        size = await log_bytes(file)
        if size <= most:
            break
        held = 0
        async for run in every_run(log):
            held += run.bytes
        taken = await log.retain(max_bytes=int(held * most / size))
        if not taken:
            break  # what is left is live
        gone += taken
        await log.vacuum()
    return gone


async def log_bytes(file: Path) -> int:
    """Returns what the files of a log take on the disk."""

    def size() -> int:
        return sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))

    return await asyncio.to_thread(size)
