"""`unbraid token`: access tokens of the server."""

from __future__ import annotations

import click


@click.group(
    epilog="""\b
Examples:
  unbraid token add laptop
  unbraid token add wall --read-only
  unbraid token revoke laptop"""
)
def token() -> None:
    """Make, list and revoke the tokens that `unbraid serve` accepts."""


@token.command()
@click.argument("name")
@click.option("--read-only", is_flag=True, help="The token may read, but not control agents.")
def add(name: str, read_only: bool) -> None:
    """Make a token. Its secret is printed now and never again."""
    from unbraid.serve import TokenFile

    click.echo(TokenFile().add(name, ("read",)) if read_only else TokenFile().add(name))


@token.command("list")
def list_tokens() -> None:
    """List tokens by name and what they may do."""
    from unbraid.serve import TokenFile

    for each in TokenFile().tokens():
        click.echo(f"{each.name}  {', '.join(sorted(each.scopes))}")


@token.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke a token."""
    from unbraid.serve import TokenFile

    TokenFile().revoke(name)
