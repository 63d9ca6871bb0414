"""`unbraid token`: access tokens of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.serve.access import Scope

# Here, too, and not only in `serve.auth`: `--help` should not wait for a server's imports. A test
# holds them equal.
SCOPES = ("ingest", "read", "control", "orchestrate", "admin")


@click.group(
    epilog="""\b
Examples:
  unbraid token add build-machine --scope ingest
  unbraid token add wall --scope read
  unbraid token add me --scope control --scope orchestrate
  unbraid token revoke wall"""
)
def token() -> None:
    """Create, list and revoke access tokens for `unbraid serve`."""


@token.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="What the token allows; repeat for several.  [default: ingest, control]",
)
@click.option("--read-only", is_flag=True, help="Same as --scope read.")
def add(name: str, scopes: tuple[Scope, ...], read_only: bool) -> None:
    """Create a token. It is printed only once. Running servers accept it at once.

    \b
    ingest       send runs, which are named after the token; read nothing
    read         read all runs
    control      read, and steer agents: send messages, answer requests, stop
    orchestrate  control, and run agents on the server (serve --orchestrate)
    admin        everything, including sending to runs that others began
    """
    from unbraid.serve import TokenFile

    wanted: tuple[Scope, ...] = (*scopes, "read") if read_only else scopes
    click.echo(TokenFile().add(name, wanted) if wanted else TokenFile().add(name))


@token.command("list")
def list_tokens() -> None:
    """List tokens with their names and scopes."""
    from unbraid.serve import TokenFile

    for each in TokenFile().tokens():
        scopes = [scope for scope in SCOPES if scope in each.scopes]
        click.echo(f"{each.name}  {', '.join(scopes)}")


@token.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke a token and sign out its browsers. Running servers refuse it at once."""
    from unbraid.serve import TokenFile

    TokenFile().revoke(name)
