"""The option of commands that redact secrets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.log.port import Log, WholeLogReader
    from unbraid.read.tracks import RunTracks, Track

redact_option = click.option(
    "--redact", is_flag=True, help="Redact API keys and tokens in the log and everywhere else."
)

showing_option = click.option("--redact", is_flag=True, help="Redact API keys and tokens.")


def redacted_runs(runs: list[RunTracks], *, redact: bool) -> list[RunTracks]:
    """Returns the runs, their sources redacted if that was asked for."""
    if redact:
        for run in runs:
            run.tracks = [track._replace(read=partial(_redacted, track)) for track in run.tracks]
    return runs


def redacted_log(log: Log, *, redact: bool) -> WholeLogReader:
    """Returns the log, redacted if that was asked for."""
    if not redact:
        return log
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedLog

    return RedactedLog(log)


def _redacted(track: Track) -> Iterator[bytes]:
    from unbraid.read.chunk import Chunk
    from unbraid.redact.source import SourceRedactor

    redactor, offset = SourceRedactor(), 0
    for data in track.read():
        yield from (chunk.data for chunk in redactor.redact([Chunk(track.name, offset, data)]))
        offset += len(data)
    yield from (chunk.data for chunk in redactor.rest())
