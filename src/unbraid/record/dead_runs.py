"""Runs whose writer is dead are ended in the log.

On a log that many machines share, these are all runs of a machine that died. A run whose holder
stopped in good order is left alone: the next watcher there continues it. One whose holder has not
been heard of for some seconds is ended by whichever server gets its lease.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from unbraid.agents.registry import is_kind
from unbraid.errors import LogError
from unbraid.fold.tree import closing_events
from unbraid.log.origin import origin_of
from unbraid.log.port import Log, run_pages
from unbraid.record.recorder import Recorder
from unbraid.record.runs import latest_run
from unbraid.timings import LEASE_TTL_SECONDS

# If a holder's key is missing because the nodes were away, it is written again within this.
DEAD_HOLDER_SECONDS = 10.0


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
            await end_interrupted(log, summary.run)
        return True
    finally:
        await leases.close(ended=True)


async def end_interrupted(log: Log, run: str) -> None:
    """Ends a run that no translator has written: each of its open streams was interrupted."""
    events = [entry.event async for page in run_pages(log, run) for entry in page]
    await log.append(run, closing_events(events, "interrupted"))
