"""Ends the runs of machines that died, on a log that many machines share.

A run whose holder stopped in good order is left alone: whoever watches there next continues it. One
whose holder has not been heard of for some seconds is ended by whichever server gets its lease.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from unbraid.agents.registry import is_kind
from unbraid.errors import LogError
from unbraid.log.port import Log, SharedLog
from unbraid.orchestrate.recovery import end_request
from unbraid.record.origin import pipeline_of
from unbraid.record.recorder import Recorder
from unbraid.record.runs import latest_run
from unbraid.timings import LEASE_TTL_SECONDS


async def end_dead_runs(log: Log) -> None:
    """Ends them again and again, for as long as it is not cancelled; only on a shared log."""
    while isinstance(log, SharedLog):
        await asyncio.sleep(LEASE_TTL_SECONDS)
        with suppress(LogError):
            for session in await log.dead_sessions():
                await end_dead_run(log, session)


async def end_dead_run(log: Log, session: str) -> bool:
    """Ends the run of a session whose holder is dead; returns whether it was ours to end."""
    leases = log.leases()
    try:
        if not await leases.acquire(session):
            return False
        if isinstance(log, SharedLog):
            await log.settle()
        run = await latest_run(log, session)
        summary = None if run is None else await log.run(run)
        if summary is None or summary.over:
            return False
        if is_kind(summary.source):
            recorder = await Recorder.open(log, summary.run, pipeline=pipeline_of(log, summary))
            await recorder.finish(0)
        else:
            await end_request(log, summary.run)
        return True
    finally:
        await leases.close(ended=True)
