"""Warnings on standard error."""

from __future__ import annotations

import click


def warn(text: str) -> None:
    """Prints a warning; control characters in it are made safe for the terminal."""
    from unbraid.screen import safe

    click.echo(f"unbraid: {safe(text)}", err=True)
