"""`unbraid deliver`: send what could not be sent before."""

from __future__ import annotations

import sys

import click

from unbraid.cli.arguments import MOST_SECONDS, FiniteRange
from unbraid.cli.destination import token_option
from unbraid.cli.messages import warn


@click.command(
    epilog="""\b
Examples:
  unbraid deliver
  UNBRAID_TOKEN=… unbraid deliver --for 600"""
)
@token_option
@click.option(
    "--for",
    "seconds",
    type=FiniteRange(0, MOST_SECONDS),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to try, for each run.",
)
def deliver(token: str | None, seconds: float) -> None:
    """Send the runs that `unbraid run --to` and `unbraid pipe --to` could not send in time.

    Ends with 1 if something is still left.
    """
    from unbraid.log.folder import data_folder
    from unbraid.remote.delivery import deliver as send
    from unbraid.screen import safe

    left = False
    for address, arrived in send(data_folder(), token, warn, seconds):
        left = left or not arrived
        click.echo(safe(f"{address.run}  {address.url}  {'arrived' if arrived else 'not sent'}"))
    sys.exit(1 if left else 0)
