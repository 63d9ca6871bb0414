"""The option of commands that mask secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.log import Entry
    from unbraid.log.port import LogReader

redact_option = click.option(
    "--redact", is_flag=True, help="Mask API keys and tokens, stored, sent and shown."
)


def shown_batches(
    log: LogReader, batches: AsyncIterator[list[Entry]], *, redact: bool
) -> AsyncIterator[list[Entry]]:
    """Followed events of a log, masked if that was asked for."""
    if not redact:
        return batches
    # Here, so that whoever wants no masks does not wait for the patterns either.
    from unbraid.hub.shown import masked_batches

    return masked_batches(log, batches)
