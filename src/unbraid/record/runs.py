"""Which run of the log the new records of a session belong to.

A session is one run, named by its id, until that is over. What comes later, perhaps days later, is
a run of its own: `<session>.2`, `<session>.3`. It begins where the one before has ended, so nothing
is recorded twice. A run that is not over is continued, whichever process wrote it before.
"""

from __future__ import annotations

from unbraid.agents.port import Recorded
from unbraid.errors import LogError
from unbraid.log.origin import origin_of
from unbraid.log.port import Log, LogUnusable
from unbraid.record.recorder import Recorder, TranslationTurns


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
    run = await latest_run(log, session)
    summary = None if run is None else await log.run(run)
    return summary is None or summary.over


async def next_run(log: Log, session: str) -> str:
    """Returns the name of the run that what a session says next will be part of."""
    number = 1
    while (summary := await log.run(run_name(session, number))) is not None and summary.over:
        number += 1
    return run_name(session, number)


async def latest_run(log: Log, session: str) -> str | None:
    """Returns the latest run of a session that the log has."""
    number = 1
    while await log.run(run_name(session, number)) is not None:
        number += 1
    return run_name(session, number - 1) if number > 1 else None
