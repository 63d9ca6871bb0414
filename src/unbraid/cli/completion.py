"""`unbraid completion`: what a shell needs to complete commands, options and runs."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="""\b
Examples:
  unbraid completion bash >> ~/.bashrc
  unbraid completion zsh > ~/.zfunc/_unbraid
  unbraid completion fish > ~/.config/fish/completions/unbraid.fish"""
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    from unbraid.cli import main

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(main, {}, "unbraid", "_UNBRAID_COMPLETE").source())
