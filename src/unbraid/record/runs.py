"""The runs of a session: which of them new records belong to, and the end of those that nobody
writes any more.

A session is one run, named by its id, until that is over. What comes later, perhaps days later, is
a run of its own: `<session>.2`, `<session>.3`. It begins where the one before has ended, so nothing
is recorded twice. A run that is not over is continued, whichever process wrote it before.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from unbraid.agents.port import Recorded
from unbraid.agents.registry import is_kind
from unbraid.errors import LogError
from unbraid.log.origin import origin_of
from unbraid.log.port import Log, LogUnusable, run_pages
from unbraid.log.summary import RunSummary
from unbraid.record.recorder import Recorder, TranslationTurns
from unbraid.timings import LEASE_TTL_SECONDS


def run_name(session: str, number: int) -> str:
    """Returns the name of a session's first, second, … run."""
    return session if number == 1 else f"{session}.{number}"


async def open_run(
    log: Log,
    session: str,
    *,
    redact: bool = False,
    awaits_words: bool = False,
    turns: TranslationTurns | None = None,
) -> tuple[Recorder, Recorded]:
    """Returns the run to write to, and how far the session is recorded. Recorders that share
    `turns` translate one after the other. A run that continues a session always `awaits_words`.
    """
    recorded = Recorded()
    number = 1
    while True:
        run = run_name(session, number)
        summary = await log.run(run)
        origin = origin_of(log, summary)
        if summary is None:
            recorder = await Recorder.open(
                log,
                run,
                redact=redact,
                awaits_words=awaits_words or number > 1,
                origin=origin,
                turns=turns,
            )
            return recorder, recorded
        if not summary.over:
            try:
                recorder = await Recorder.open(log, run, redact=redact, origin=origin, turns=turns)
            except LogUnusable:
                raise  # it cannot be read now, which says nothing about the run
            except LogError:
                # An older translator's: it stays as it is, and its successor continues from there.
                pass
            else:
                recorded.offsets, recorded.ends = dict(recorder.offsets), dict(recorder.marks)
                recorded.is_new = False
                return recorder, recorded
        recorded.earlier |= await log.offsets(run)
        recorded.earlier_ms = max(summary.updated, 1)
        number += 1


async def begins_run(log: Log, session: str) -> bool:
    """Returns whether what a session says next is the beginning of a run."""
    latest = await latest_run(log, session)
    return latest is None or latest.over


async def next_run(log: Log, session: str) -> str:
    """Returns the name of the run that what a session says next will be part of."""
    number = 1
    while (summary := await log.run(run_name(session, number))) is not None and summary.over:
        number += 1
    return run_name(session, number)


async def latest_run(log: Log, session: str) -> RunSummary | None:
    """Returns the latest run of a session that the log has."""
    latest: RunSummary | None = None
    number = 1
    while (summary := await log.run(run_name(session, number))) is not None:
        latest = summary
        number += 1
    return latest


# Runs whose writer is dead are ended in the log.
#
# On a log that many machines share, these are all runs of a machine that died. A run whose holder
# stopped in good order is left alone: the next watcher there continues it. One whose holder has not
# been heard of for some seconds is ended by whichever server gets its lease.

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
        if run is None or run.over:
            return False
        if is_kind(run.source):
            await end_unfinished(log, run)
        else:
            await end_interrupted(log, run.run)
        return True
    finally:
        await leases.close(ended=True)


async def end_unfinished(log: Log, run: RunSummary, *, redact: bool = False) -> None:
    """Ends a run of an agent kind with its last event: there is nothing more to read."""
    origin = origin_of(log, run)
    recorder = await Recorder.open(log, run.run, redact=redact, origin=origin)
    await recorder.finish(0)


async def end_interrupted(log: Log, run: str) -> None:
    """Ends a run that no translator has written: each of its open streams was interrupted."""
    # Lists of runs import this module, and end no such run.
    from unbraid.fold.tree import closing_events

    events = [entry.event async for page in run_pages(log, run) for entry in page]
    await log.append(run, closing_events(events, "interrupted"))
