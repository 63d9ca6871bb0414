"""`unbraid deliver`: send what could not be sent before."""

from __future__ import annotations

import asyncio
import sys

import click

from unbraid.cli.options.arguments import MOST_SECONDS, FiniteRange
from unbraid.cli.options.destination import token_option
from unbraid.cli.output.messages import warn


@click.command(
    short_help="Send runs that could not be sent earlier.",
    epilog="""\b
Examples:
  unbraid deliver
  UNBRAID_TOKEN=… unbraid deliver --for 600""",
)
@token_option
@click.option(
    "--for",
    "seconds",
    type=FiniteRange(0, MOST_SECONDS),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to try each run.",
)
@click.option(
    "--discard", metavar="RUN", help="Try this run once more, then delete what is unsent."
)
def deliver(token: str | None, seconds: float, discard: str | None) -> None:
    """Send runs that `run --to`, `pipe --to` or `watch --to` could not send, or that the server
    refused. A run is kept until the server has acknowledged all of it.

    Exits with 1 if something is still unsent.
    """
    sys.exit(1 if asyncio.run(_deliver(token, seconds, discard)) else 0)


async def _deliver(token: str | None, seconds: float, discard: str | None) -> bool:
    """Returns whether something is left."""
    from unbraid.screen import safe
    from unbraid.send.delivery import deliver as send
    from unbraid.system.home import data_folder

    left = False
    sending = send(data_folder(), token, warn, seconds=seconds, discarded=discard)
    async for sent, arrived in sending:
        left = left or not (arrived or sent.run == discard)
        click.echo(safe(f"{sent.run}  {sent.url}  {'arrived' if arrived else 'not sent'}"))
    return left
