"""`unbraid run`: start an agent and log its run."""

from __future__ import annotations

import asyncio
import os
import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  unbraid run -- claude -p "Fix the tests"
  unbraid run -- opencode run "Fix the tests\"""",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def run(command: tuple[str, ...]) -> None:
    """Start COMMAND… and log its run, with all its sub-agents, while it works.

    Its output, its input, its signals and its exit code are as they would be without unbraid. If
    the log cannot be written, the agent goes on and a warning says so.
    """
    from unbraid.live.run import run as start

    sys.exit(asyncio.run(start(command, os.environ, _warn)))


def _warn(text: str) -> None:
    click.echo(f"unbraid: {text}", err=True)
