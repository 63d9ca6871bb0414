"""A log as a source: a run of our own by its id, or a file of fleet events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import TypeVar

from unbraid.errors import LogError, SourceError
from unbraid.events import FleetEvent, decode_event
from unbraid.log import Log, data_folder, has_log, opened_log, run_pages
from unbraid.log.entry import DamagedEvent
from unbraid.read.names import names_run
from unbraid.read.record import BAD_JSON
from unbraid.read.tracks import RunTracks, Track, split
from unbraid.record.sessions.all_runs import AbandonedRuns, with_status_of
from unbraid.record.sessions.importer import open_logged
from unbraid.record.sessions.sources import LOG

T = TypeVar("T")


def logged_run(name: str, env: Mapping[str, str], *, redact: bool = False) -> RunTracks | None:
    """Returns the run of this machine's log that has this id, if there is one: as it is now, with
    what its session has said since the last process stopped writing it.
    """

    async def read(log: Log) -> list[bytes]:
        summary = await open_logged(log, name, env, redact=redact)
        if summary is None or summary.first_seq > 1:
            return []  # of one whose events were deleted, the session's files may still be there
        return [e.data + b"\n" async for page in run_pages(log, summary.run) for e in page]

    lines = _ask(read, env) if names_run(name) else None
    return RunTracks(LOG, name, [Track(name, lambda: iter(lines), False)]) if lines else None


def shown_status(run: str, env: Mapping[str, str]) -> str | None:
    """Returns the status that lists show of a run of this machine's log; None if it has none."""

    async def read(log: Log) -> str | None:
        summary = await log.run(run)
        if summary is None or summary.over:
            return None if summary is None else summary.status
        sessions = await AbandonedRuns(log, env, data_folder(env)).sessions()
        return with_status_of(summary, sessions.get(run)).status

    return _ask(read, env) if names_run(run) else None


def logged_names(env: Mapping[str, str], prefix: str = "") -> list[str]:
    """Returns the names of the runs of this machine's log that begin with `prefix`."""
    # What cannot be a run's name is a file's, and needs no log.
    return (_ask(lambda log: log.run_names(prefix), env) or []) if names_run(prefix) else []


def is_over(session: str, env: Mapping[str, str]) -> bool:
    """Returns whether our log has seen the end of a session that nothing has followed since."""
    runs = None
    with suppress(LogError):  # then it knows nothing, and the session is there all the same
        runs = _ask(lambda log: log.runs_of(session), env)
    return bool(runs) and all(run.over for run in runs or ())


def _ask(question: Callable[[Log], Awaitable[T]], env: Mapping[str, str]) -> T | None:
    """Returns what this machine's log answers; None if there is none, and then none is made."""

    async def ask() -> T:
        async with opened_log(env=env) as log:
            return await question(log)

    return asyncio.run(ask()) if has_log(env) else None


def logged_events(run: RunTracks) -> Iterator[FleetEvent]:
    """Yields the events of a log, as they are."""
    track = run.tracks[0]
    for number, line in enumerate(split(track.read()), 1):
        if not line.strip():
            continue
        try:
            yield decode_event(line)
        except BAD_JSON as error:
            if run.session is not None:  # a run of our own log, from its first event on
                raise DamagedEvent(run.session, number) from None
            raise SourceError(track.name, f"line {number} is not a fleet event: {error}") from None
