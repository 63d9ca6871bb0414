"""Brings the events of a kept copy back into a shared log that has lost them.

What the log has already is skipped, so it can be repeated without harm, and every machine may
restore its part: one copy may have more than another. The raw bytes of live runs are in no copy:
such a run stays as it is, and what its agent says next is a new one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from msgspec import Struct

from unbraid.log.port import LogConflict, every_run, run_pages
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.sqlite.log import SqliteLog
from unbraid.log.summary import RunSummary


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
        async for summary in _oldest_first(source):
            found.runs += 1
            try:
                found.events += await _restored(source, summary, log)
            except LogConflict:
                found.differing.append(summary.run)
    finally:
        await source.close()
    return found


async def _oldest_first(source: SqliteLog) -> AsyncIterator[RunSummary]:
    names = [summary.run async for summary in every_run(source)]
    for name in reversed(names):
        summary = await source.run(name)
        if summary is not None:
            yield summary


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
