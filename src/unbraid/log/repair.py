"""Repairs a shared log: brings back what it has lost, from this machine's copy or a backup; and a
copy that is damaged.

What the log has already is skipped, so restoring can be repeated without harm, and every machine
may restore its part: one copy may have more than another. The raw bytes of live runs are in no
copy: such a run stays as it is, and what its agent says next is a new one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.log.engines import opened_log
from unbraid.log.port import Log, LogConflict, every_run, run_pages
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.sqlite.file import DamagedCopy
from unbraid.log.sqlite.log import SqliteLog
from unbraid.log.summary import RunSummary

_SUFFIXES = ("", "-wal", "-shm")


class LogRepair(Struct):
    """What was restored, and from which file, which stays; nothing if nothing was lost. And where
    the copy of this machine is now if it was damaged.
    """

    source: Path | None = None
    restored: RestoredRuns | None = None
    damaged: Path | None = None


async def repair_log(
    url: str | None, env: Mapping[str, str] = os.environ, *, source: Path | None = None
) -> LogRepair:
    """Restores a shared log from a file; without one, from this machine's copy, if that has what
    the log has lost. The copy is then set aside and built again; a damaged copy is, too. Returns
    what was done. Raises CallerError if the log is not a shared one.
    """
    damaged, lost = None, None
    try:
        async with opened_log(url, env) as log:
            shared = _shared(log)
            await shared.check_copy()
            lost = shared.copy_path if await shared.has_lost_records() else None
    except DamagedCopy as error:
        damaged = _put_aside(error.path, "damaged")
    if lost is not None:
        kept = _put_aside(lost, "lost")
        source = source or kept
    if source is None and damaged is None:
        return LogRepair()
    async with opened_log(url, env) as log:
        restored = None if source is None else await restored_runs(source, _shared(log))
    return LogRepair(source, restored, damaged)


def _shared(log: Log) -> ReplicatedLog:
    if not isinstance(log, ReplicatedLog):
        raise CallerError("only a log that machines share can be repaired: give --log nats://…")
    return log


def _put_aside(copy: Path, why: str) -> Path:
    kept = copy.with_name(f"{copy.name}.{why}-{time.strftime('%Y%m%d-%H%M%S')}")
    for suffix in _SUFFIXES:
        part = copy.with_name(f"{copy.name}{suffix}")
        if part.exists():
            part.rename(f"{kept}{suffix}")
    return kept


class RestoredRuns(Struct):
    """The result: how many runs were looked at, how many events were added, and which runs have
    another history in the log by now, which counts.
    """

    runs: int = 0
    events: int = 0
    differing: list[str] = []


async def restored_runs(path: Path, log: ReplicatedLog) -> RestoredRuns:
    """Adds what a log's file has, a copy's or a backup's, to a shared log. Returns what was
    added.
    """
    found = RestoredRuns()
    source = await SqliteLog.open(path)
    try:
        names = [each.run async for each in every_run(source)]
        for name in reversed(names):  # those that were started first come first
            summary = await source.run(name)
            if summary is None:
                continue
            found.runs += 1
            try:
                found.events += await _restored(source, summary, log)
            except LogConflict:
                found.differing.append(name)
    finally:
        await source.close()
    return found


async def _restored(source: SqliteLog, summary: RunSummary, log: ReplicatedLog) -> int:
    offsets = await source.offsets(summary.run)
    if summary.first_seq > 1:
        # Retention has left its summary alone.
        await log.put_summary(summary, offsets)
        return 0
    added = 0
    async for page in run_pages(source, summary.run):
        events = [entry.event for entry in page]
        given = offsets if page[-1].seq == summary.last_seq else None
        added += (await log.append(summary.run, events, offsets=given)).added
    return added
