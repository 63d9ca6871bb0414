"""The option of commands that mask secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.log import Entry
    from unbraid.log.port import LogReader
    from unbraid.translate.tracks import Run, Track

redact_option = click.option(
    "--redact", is_flag=True, help="Mask API keys and tokens, stored, sent and shown."
)

showing_option = click.option("--redact", is_flag=True, help="Mask API keys and tokens.")


def shown_runs(runs: list[Run], *, redact: bool) -> list[Run]:
    """Runs that were gathered, their sources masked if that was asked for."""
    if redact:
        for run in runs:
            run.tracks = [track._replace(read=partial(_masked, track)) for track in run.tracks]
    return runs


def _masked(track: Track) -> Iterator[bytes]:
    from unbraid.redact.lines import SecretMask

    masking, waiting = SecretMask(), b""
    for data in track.read():
        waiting += data
        decided = masking.lines(track.name, waiting, end=False)
        waiting = waiting[len(decided) :]
        yield decided
    yield masking.lines(track.name, waiting, end=True)


def shown_batches(
    log: LogReader, batches: AsyncIterator[list[Entry]], *, redact: bool
) -> AsyncIterator[list[Entry]]:
    """Followed events of a log, masked if that was asked for."""
    if not redact:
        return batches
    # Here, so that whoever wants no masks does not wait for the patterns either.
    from unbraid.redact.reader import masked_batches

    return masked_batches(log, batches)
