"""Requests whose process died are ended in the log by the next process that looks.

On a log that many machines share, so is every run of a machine that died. One whose holder stopped
in good order is left alone: the next watcher there continues it. One whose holder has not been
heard of for some seconds is ended by whichever server gets its lease.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from unbraid.agents.registry import is_kind
from unbraid.errors import LogError
from unbraid.events import FleetEvent
from unbraid.fold.delegation import SOURCE
from unbraid.fold.run_end import closing_events
from unbraid.log.leases import Leases
from unbraid.log.origin import origin_of
from unbraid.log.port import Log, every_run, run_pages
from unbraid.record.recorder import Recorder
from unbraid.record.runs import latest_run
from unbraid.timings import LEASE_TTL_SECONDS

# If a holder's key is missing because the nodes were away, it is written again within this.
DEAD_HOLDER_SECONDS = 10.0


async def recover(log: Log, leases: Leases) -> list[str]:
    """Ends the runs whose process is gone, and returns their names."""
    ended = []
    async for summary in every_run(log, status="live"):
        # A lease dies with the process that holds it: one that can be acquired has no holder.
        if summary.source == SOURCE and await leases.acquire(summary.run):
            try:
                await end_request(log, summary.run)
                ended.append(summary.run)
            finally:
                await leases.release(summary.run)
    return ended


async def end_request(log: Log, run: str) -> None:
    """Ends a run in the log whose process is gone."""
    await log.append(run, closing_events(await _events(log, run), "interrupted"))


async def end_dead_runs(log: Log) -> None:
    """Ends them again and again, for as long as it is not cancelled; only on a shared log."""
    while log.shared:
        await asyncio.sleep(LEASE_TTL_SECONDS)
        with suppress(LogError):
            if not (missed := await log.dead_sessions()):
                continue
            await asyncio.sleep(DEAD_HOLDER_SECONDS)
            for session in set(await log.dead_sessions()).intersection(missed):
                await end_dead_run(log, session)


async def end_dead_run(log: Log, session: str) -> bool:
    """Ends the run of a session whose holder is dead; returns whether it was ours to end."""
    leases = log.leases()
    try:
        if not await leases.acquire(session):
            return False
        await log.settle()
        run = await latest_run(log, session)
        summary = None if run is None else await log.run(run)
        if summary is None or summary.over:
            return False
        if is_kind(summary.source):
            recorder = await Recorder.open(log, summary.run, origin=origin_of(log, summary))
            await recorder.finish(0)
        else:
            await end_request(log, summary.run)
        return True
    finally:
        await leases.close(ended=True)


async def _events(log: Log, run: str) -> list[FleetEvent]:
    return [entry.event async for page in run_pages(log, run) for entry in page]
