"""A line on standard error."""

from __future__ import annotations

import click


def warn(text: str) -> None:
    """Say it; what an agent or a server has put into it cannot do anything to the terminal."""
    from unbraid.screen import safe

    click.echo(f"unbraid: {safe(text)}", err=True)
