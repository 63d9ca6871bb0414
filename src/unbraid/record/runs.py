"""Which run of the log a session's new words belong to.

A session is one run, named by its id, until that is over. What comes later, perhaps days later, is
a run of its own: `<session>.2`, `<session>.3`. It begins where the one before has ended, so nothing
is told twice. A run that is not over goes on, whoever wrote it before.

Files are known by their bytes. Rows of OpenCode's database are known by their time: the log keeps
from when on and how far they are told, as positions of sources that have no bytes.

Where a run begins is kept with its first words. Whoever goes on with it after a kill could not tell
any more what had been there before, and what it had only not come to yet.
"""

from __future__ import annotations

from collections.abc import Mapping

from unbraid.agents.claude.session_files import Known, continued, known_places, source_name
from unbraid.errors import LogError
from unbraid.log.port import Log
from unbraid.record.recorder import Recorder

ROWS, ROWS_FROM = "rows", "rows.from"


def run_name(session: str, number: int) -> str:
    """The name of a session's first, second, … run."""
    return session if number == 1 else f"{session}.{number}"


async def open_run(
    log: Log, session: str, standing: Mapping[str, Known] | None = None, *, redact: bool = False
) -> tuple[Recorder, dict[str, Known]]:
    """The run to write to, and how far its files are known; `standing` if none ever was."""
    before: dict[str, Known] = dict(standing or {})
    number = 1
    while True:
        run = run_name(session, number)
        summary = await log.run(run)
        if summary is None:
            recorder = await Recorder.open(log, run, redact=redact)
            for name, (place, base) in before.items():
                recorder.note(source_name(name, place.generation, base), place.offset - base)
            return recorder, before
        if not summary.over:
            try:
                recorder = await Recorder.open(log, run, redact=redact)
            except LogError:
                # An older translator's: it stays as it is, and its successor goes on from there.
                pass
            else:
                return recorder, known_places(recorder.offsets, recorder.marks)
        before = continued(before | known_places(await log.offsets(run)))
        number += 1


async def begins_run(log: Log, session: str) -> bool:
    """Whether what a session says next is the beginning of a run."""
    run = await latest_run(log, session)
    summary = None if run is None else await log.run(run)
    return summary is None or summary.over


async def latest_run(log: Log, session: str) -> str | None:
    """The latest run of a session that the log has."""
    number = 1
    while await log.run(run_name(session, number)) is not None:
        number += 1
    return run_name(session, number - 1) if number > 1 else None


async def rows_since(log: Log, session: str) -> int | None:
    """From when on (milliseconds) the next rows of a session are new to its run; None if nothing of
    the session is in the log.
    """
    number = 1
    while (summary := await log.run(run_name(session, number))) is not None and summary.over:
        number += 1
    if number == 1:
        # What it has already told since its beginning, the first run knows itself.
        return None if summary is None else (await log.offsets(session)).get(ROWS_FROM, 0)
    before = run_name(session, number - 1)
    told = (await log.offsets(before)).get(ROWS)
    if told is None and (ended := await log.run(before)) is not None:
        told = ended.updated
    return (told or 0) + 1
