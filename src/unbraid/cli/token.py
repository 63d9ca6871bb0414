"""`unbraid token`: access tokens of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.serve.access.auth import Scope

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
    """Make, list and revoke the tokens that `unbraid serve` accepts."""


@token.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="What it may do; give it again for more.  [default: ingest, control]",
)
@click.option("--read-only", is_flag=True, help="The same as --scope read.")
def add(name: str, scopes: tuple[Scope, ...], read_only: bool) -> None:
    """Make a token. Its secret is printed now and never again; servers that run accept it at once.

    \b
    ingest       send runs here, named after the token, and read nothing
    read         read all runs
    control      read, and steer agents: messages, permission, stop
    orchestrate  control, and have agents run on the server (serve --orchestrate)
    admin        all of it, and send to runs that others began
    """
    from unbraid.serve import TokenFile

    wanted: tuple[Scope, ...] = (*scopes, "read") if read_only else scopes
    click.echo(TokenFile().add(name, wanted) if wanted else TokenFile().add(name))


@token.command("list")
def list_tokens() -> None:
    """List tokens by name and what they may do."""
    from unbraid.serve import TokenFile

    for each in TokenFile().tokens():
        scopes = [scope for scope in SCOPES if scope in each.scopes]
        click.echo(f"{each.name}  {', '.join(scopes)}")


@token.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke a token; browsers that signed in with it are signed out. Servers that run refuse it at
    once.
    """
    from unbraid.serve import TokenFile

    TokenFile().revoke(name)
