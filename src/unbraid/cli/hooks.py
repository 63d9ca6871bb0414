"""`unbraid hooks`: let sessions that we did not start be answered and steered from here."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from unbraid.cli.output import print_json, warn
from unbraid.errors import SourceError
from unbraid.screen import safe

if TYPE_CHECKING:
    from unbraid.agents.port import CliHooks, HookState

STATES = {
    "no": "not installed",
    "yes": "installed",
    "plugin": "installed as a plugin",
    "outdated": "outdated: run `unbraid hooks install` again",
}


@click.group(
    short_help="Answer and steer sessions that unbraid did not start.",
    epilog="""\b
Examples:
  unbraid hooks install
  unbraid hooks install claude --plugin
  unbraid hooks status
  unbraid hooks uninstall""",
)
def hooks() -> None:
    """Answer and steer every session of Claude Code and OpenCode on this machine.

    Hooks are small commands that a CLI runs at permission requests, at tool calls and at the end of
    a turn. With hooks installed, `unbraid`, `unbraid watch` and `unbraid top` can answer permission
    requests of sessions that were started without unbraid, send them messages, and stop them. While
    none of these commands is running, hooks return at once and change nothing.
    """


_kinds = click.argument("kinds", nargs=-1, metavar="[KIND]...")


@hooks.command()
@_kinds
@click.option("--plugin", is_flag=True, help="Install as a plugin where both ways exist.")
def install(kinds: tuple[str, ...], plugin: bool) -> None:
    """Install hooks into all CLIs used here, or into each KIND.

    KIND is claude or opencode.

    Claude Code: added to your settings.json; running sessions pick them up within seconds. With
    --plugin, installed with `claude plugin` instead. OpenCode: a plugin file, for sessions started
    from then on.
    """
    _each(kinds, lambda found: found.install(plugin=plugin))


@hooks.command()
@_kinds
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def status(kinds: tuple[str, ...], as_json: bool) -> None:
    """Show where hooks are installed, and whether they work."""
    if not as_json:
        _each(kinds, lambda found: found.state(), everywhere=True)
        return
    states = [found.state() for found in _chosen(kinds, everywhere=True)]
    print_json(states)


@hooks.command()
@_kinds
def uninstall(kinds: tuple[str, ...]) -> None:
    """Remove the hooks and nothing else. Running sessions continue without them."""
    _each(kinds, lambda found: found.uninstall(), everywhere=True)


def _each(
    kinds: tuple[str, ...], do: Callable[[CliHooks], HookState], *, everywhere: bool = False
) -> None:
    problems: list[SourceError] = []
    for found in _chosen(kinds, everywhere=everywhere):
        try:
            _print(do(found))
        except SourceError as error:
            problems.append(error)  # the others have files of their own
    for problem in problems[:-1]:
        warn(str(problem))
    if problems:
        raise problems[-1]


def _chosen(names: tuple[str, ...], *, everywhere: bool) -> list[CliHooks]:
    from unbraid.agents.registry import kinds

    able = {kind.name: found for kind in kinds() if (found := kind.hooks(os.environ)) is not None}
    for name in names:
        if name not in able:
            raise click.UsageError(f"no hooks for {name}; available for: {', '.join(able)}")
    chosen = [found for name, found in able.items() if not names or name in names]
    if not names and not everywhere:
        chosen = [found for found in chosen if found.is_present()]
        if not chosen:
            raise click.UsageError(f"none of these CLIs is used here: {', '.join(able)}")
    return chosen


def _print(state: HookState) -> None:
    where = "" if state.installed == "no" else f": {state.place}"
    click.echo(safe(f"{state.title}: {STATES[state.installed]}{where}"))
    if state.problem is not None:
        click.echo(safe(f"    {state.problem}"))
