"""The options of commands that send a run to another machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unbraid.cli.options.arguments import MOST_SECONDS, FiniteRange

if TYPE_CHECKING:
    from unbraid.send.delivery import RunDelivery

F = TypeVar("F", bound=Callable[..., Any])

token_option = click.option(
    "--token", envvar="UNBRAID_TOKEN", show_envvar=True, help="The access token of that server."
)


token_file_option = click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="UNBRAID_TOKEN_FILE",
    show_envvar=True,
    help="A file with the access token of that server, instead of UNBRAID_TOKEN.",
)


def destination_options(command: F) -> F:
    """Adds --to, --token and --linger to a command."""
    to = click.option(
        "--to", metavar="URL", help="Also send the run to the server at this address."
    )
    linger = click.option(
        "--linger",
        type=FiniteRange(0, MOST_SECONDS),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait at the end until everything has arrived.",
    )
    return to(token_option(linger(command)))


def token_of(file: Path | None) -> str | None:
    """Returns the token of a server, from a file or else from the environment."""
    if file is None:
        return os.environ.get("UNBRAID_TOKEN") or None
    from unbraid.errors import CallerError

    try:
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise CallerError(f"other users can read the token in {file}: run `chmod 600` on it")
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a token"
        raise CallerError(f"{file}: {reason}") from None
    if not token or len(token.split()) != 1:
        raise CallerError(f"{file} has no token in it")
    return token


def destination_of(
    to: str | None,
    token: str | None,
    linger: float,
    warn: Callable[[str], None],
    *,
    redact: bool,
) -> RunDelivery | None:
    """Returns where to send the run, from the options; None if it is not to be sent."""
    if to is None:
        return None
    from unbraid.send.delivery import Destination, RunDelivery
    from unbraid.system.home import data_folder

    destination = Destination(to, token, home=data_folder(os.environ), redact=redact)
    return RunDelivery(destination, warn, linger_seconds=linger)
