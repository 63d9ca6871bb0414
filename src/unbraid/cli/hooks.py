"""`unbraid hooks`: let sessions that we did not start be answered and steered from here."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.screen import safe, safe_json

if TYPE_CHECKING:
    from unbraid.agents.hook_port import CliHooks, HookState

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

    Hooks are small commands that a CLI runs at permission requests, tool calls and the end of a
    turn. With them installed, `unbraid`, `unbraid watch` and `unbraid top` can answer permission
    requests of sessions that were started without unbraid, send them messages and stop them. While
    none of those runs, hooks end at once, and nothing changes.
    """


_kinds = click.argument("kinds", nargs=-1, metavar="[KIND]...")


@hooks.command()
@_kinds
@click.option("--plugin", is_flag=True, help="As a plugin, where there are two ways.")
def install(kinds: tuple[str, ...], plugin: bool) -> None:
    """Install hooks into the CLIs that are used here, or into each KIND: claude, opencode.

    Claude Code: into your settings.json, beside what is there; sessions that run take them within
    seconds. With --plugin, by `claude plugin`. OpenCode: a plugin file, for sessions that start
    from now on.
    """
    _each(kinds, lambda found: found.install(plugin=plugin))


@hooks.command()
@_kinds
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def status(kinds: tuple[str, ...], as_json: bool) -> None:
    """Show where hooks are installed, and whether they can work."""
    states = [found.state() for found in _chosen(kinds, everywhere=True)]
    if as_json:
        click.echo(safe_json(msgspec.json.encode(states)))
        return
    for state in states:
        _print(state)


@hooks.command()
@_kinds
def uninstall(kinds: tuple[str, ...]) -> None:
    """Remove the hooks, and nothing else. Sessions that run go on without them."""
    _each(kinds, lambda found: found.uninstall(), everywhere=True)


def _each(
    kinds: tuple[str, ...], do: Callable[[CliHooks], HookState], *, everywhere: bool = False
) -> None:
    for found in _chosen(kinds, everywhere=everywhere):
        _print(do(found))


def _chosen(names: tuple[str, ...], *, everywhere: bool) -> list[CliHooks]:
    from unbraid.agents.registry import kinds

    able = {kind.name: found for kind in kinds() if (found := kind.hooks(os.environ)) is not None}
    for name in names:
        if name not in able:
            raise click.UsageError(f"no hooks for {name}, but for: {', '.join(able)}")
    chosen = [found for name, found in able.items() if not names or name in names]
    if not names and not everywhere:
        chosen = [found for found in chosen if found.is_present()]
        if not chosen:
            raise click.UsageError(f"none of these is used here: {', '.join(able)}")
    return chosen


def _print(state: HookState) -> None:
    where = "" if state.installed == "no" else f": {state.place}"
    click.echo(safe(f"{state.title}: {STATES[state.installed]}{where}"))
    if state.problem is not None:
        click.echo(safe(f"    {state.problem}"))
