"""The options of commands that send a run to another machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unbraid.cli.arguments import MOST_SECONDS, FiniteRange

if TYPE_CHECKING:
    from unbraid.remote.delivery import Sending

F = TypeVar("F", bound=Callable[..., Any])

token_option = click.option(
    "--token", envvar="UNBRAID_TOKEN", show_envvar=True, help="The access token of that server."
)


def destination_options(command: F) -> F:
    """--to, --token and --linger."""
    to = click.option(
        "--to", metavar="URL", help="Also send the run to the server at this address."
    )
    linger = click.option(
        "--linger",
        type=FiniteRange(0, MOST_SECONDS),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait at the end until everything has arrived there.",
    )
    return to(token_option(linger(command)))


def destination_of(
    to: str | None, token: str | None, linger: float, warn: Callable[[str], None]
) -> Sending | None:
    """Returns where to send the run, from the options; None if it is not to be sent."""
    if to is None:
        return None
    from unbraid.log.folder import data_folder
    from unbraid.remote.delivery import Sending

    return Sending(data_folder(os.environ), to, token, warn, linger_seconds=linger)
