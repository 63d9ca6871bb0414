"""Requests whose process died are ended in the log by the next process that looks."""

from __future__ import annotations

from unbraid.events import FleetEvent, decode_event
from unbraid.fleet.delegation import SOURCE
from unbraid.fleet.run_end import closing_events
from unbraid.log.leases import Leases
from unbraid.log.port import Log, every_run


async def recover(log: Log, leases: Leases) -> list[str]:
    """End the runs that nobody works on any more; their names."""
    ended = []
    async for summary in every_run(log, status="live"):
        # A lease dies with the process that holds it: one that can be had belongs to nobody.
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


async def _events(log: Log, run: str) -> list[FleetEvent]:
    events: list[FleetEvent] = []
    while entries := await log.read(run, events[-1].seq if events else 0):
        events += [decode_event(entry.data) for entry in entries]
    return events
