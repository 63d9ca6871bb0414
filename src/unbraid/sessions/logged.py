"""A log as a source: a run of our own by its id, or a file of fleet events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from unbraid.errors import LogError, SourceError
from unbraid.events import FleetEvent, decode_event
from unbraid.log import SqliteLog, data_folder
from unbraid.log.folder import FILE_NAME
from unbraid.log.summary import RunSummary
from unbraid.sessions.files import LOG
from unbraid.translate.tracks import Run, Track, split
from unbraid.wire.names import names_run


def logged_run(name: str, env: Mapping[str, str]) -> Run | None:
    """The run of our log that has this id, if there is one."""
    path = data_folder(env) / FILE_NAME
    lines = asyncio.run(_lines(path, name)) if names_run(name) and path.is_file() else []
    return Run(LOG, name, [Track(name, lambda: iter(lines), False)]) if lines else None


def logged_names(env: Mapping[str, str]) -> list[str]:
    """The names of all runs of our log."""
    path = data_folder(env) / FILE_NAME
    return [each.run for each in asyncio.run(_runs(path))] if path.is_file() else []


def is_over(session: str, env: Mapping[str, str]) -> bool:
    """Whether our log has seen the end of a session that nothing has followed since."""
    path = data_folder(env) / FILE_NAME
    runs: list[RunSummary] = []
    with suppress(LogError):  # then it knows nothing, and the session is there all the same
        runs = asyncio.run(_runs(path)) if path.is_file() else []
    ends = [each.over for each in runs if session in (each.run, each.session_id)]
    return bool(ends) and all(ends)


async def _runs(path: Path) -> list[RunSummary]:
    log = await SqliteLog.open(path)
    try:
        return await log.runs(limit=1_000_000)
    finally:
        await log.close()


async def _lines(path: Path, name: str) -> list[bytes]:
    log = await SqliteLog.open(path)
    try:
        lines: list[bytes] = []
        while entries := await log.read(name, len(lines)):
            lines += [entry.data + b"\n" for entry in entries]
        return lines
    finally:
        await log.close()


def logged_events(run: Run) -> Iterator[FleetEvent]:
    """The events of a log, as they are."""
    track = run.tracks[0]
    for number, line in enumerate(split(track.read()), 1):
        if not line.strip():
            continue
        try:
            yield decode_event(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise SourceError(track.name, f"line {number} is no fleet event: {error}") from None
