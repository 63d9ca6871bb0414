"""`unbraid deliver`: send what could not be sent before."""

from __future__ import annotations

import sys

import click

from unbraid.cli.arguments import MOST_SECONDS, FiniteRange
from unbraid.cli.destination import token_option
from unbraid.cli.messages import warn


@click.command(
    short_help="Send runs that could not be sent in time.",
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
    help="How long to try, for each run.",
)
@click.option("--discard", metavar="RUN", help="Try this run once more, then delete what is left.")
def deliver(token: str | None, seconds: float, discard: str | None) -> None:
    """Send the runs that `unbraid run --to` and `unbraid pipe --to` could not send in time, or that
    their server refused. What a server has not acknowledged is kept until it has.

    Ends with 1 if something is still left.
    """
    from unbraid.log.folder import data_folder
    from unbraid.remote.delivery import deliver as send
    from unbraid.screen import safe

    left = False
    for address, arrived in send(data_folder(), token, warn, seconds, discarded=discard):
        left = left or not (arrived or address.run == discard)
        click.echo(safe(f"{address.run}  {address.url}  {'arrived' if arrived else 'not sent'}"))
    sys.exit(1 if left else 0)
