"""`unbraid alerts`: the rules by which people are alerted, listed, tested and explained."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.cli.messages import warn
from unbraid.screen import safe, safe_json

if TYPE_CHECKING:
    from unbraid.notify.explanation import Explained
    from unbraid.notify.own_rules import LoadedRules


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  unbraid alerts
  unbraid alerts --json
  unbraid alerts test phone
  unbraid alerts explain""",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, without secrets.")
@click.pass_context
def alerts(ctx: click.Context, as_json: bool) -> None:
    """List the rules by which you are alerted about agents.

    While `unbraid`, `unbraid watch`, `top` or `serve` runs, you are alerted when an agent waits for
    a permission or a prompt, has failed, has lost its process, is silent while it works, goes round
    in circles, or reaches its budget: in the terminal, and wherever else your rules say. The rules
    are in alerts.toml in the folder of UNBRAID_HOME, or in the file that UNBRAID_ALERTS names;
    without one, the defaults count.
    """
    if ctx.invoked_subcommand is not None:
        return
    loaded = _loaded()
    if as_json:
        click.echo(safe_json(msgspec.json.encode(_listing(loaded))))
    else:
        _print(loaded)
    sys.exit(1 if loaded.problems else 0)


@alerts.command("test")
@click.argument("receiver", required=False)
def send_test(receiver: str | None) -> None:
    """Send a message to RECEIVER, or to all that the rules name."""
    from unbraid.notify.trial import try_receivers

    loaded = _loaded()
    results = asyncio.run(try_receivers(loaded.rules, os.environ, receiver))
    for name, problem in results.items():
        click.echo(f"{safe(name)}: {'sent' if problem is None else safe(problem)}")
    sys.exit(1 if any(results.values()) else 0)


@alerts.command()
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def explain(as_json: bool) -> None:
    """Show what is to be said about the runs of the log that are not over, and by which rules."""
    from unbraid.notify.explanation import explained

    found = asyncio.run(explained(_loaded().rules))
    if as_json:
        click.echo(safe_json(msgspec.json.encode(found)))
        return
    for each in found:
        _print_explained(each)
    if not found:
        click.echo("No agent waits, is silent, or is near its budget.")


def _loaded() -> LoadedRules:
    from unbraid.notify.own_rules import OwnRules

    loaded = OwnRules(os.environ).load()
    for problem in loaded.problems:
        warn(problem)
    return loaded


def _print(loaded: LoadedRules) -> None:
    rules = loaded.rules
    for rule in rules.rules:
        place = f"line {rule.line}" if rule.line else "default"
        to = ", ".join(rules.receivers_of(rule))
        click.echo(f"{safe(str(rule))} → {safe(to)}  ({place})")
    for budget in rules.budgets:
        runs = str(budget.runs) or "everywhere"
        click.echo(f"budget of a run {safe(runs)}: {budget.limits}  (line {budget.line})")
    for receiver in rules.receivers.values():
        click.echo(f"receiver {safe(receiver.name)}: {receiver.form}")
    if rules.quiet is not None:
        click.echo(f"quiet: {rules.quiet}")
    where = safe(str(loaded.path))
    click.echo(f"from {where}" if loaded.is_there else f"defaults; yours would be in {where}")


def _listing(loaded: LoadedRules) -> dict[str, object]:
    rules = loaded.rules
    return {
        "file": str(loaded.path) if loaded.is_there else None,
        "rules": [
            {"rule": str(rule), "to": rules.receivers_of(rule), "line": rule.line or None}
            for rule in rules.rules
        ],
        "budgets": [
            {"runs": str(budget.runs), "limits": str(budget.limits), "line": budget.line}
            for budget in rules.budgets
        ],
        "receivers": {name: receiver.form for name, receiver in rules.receivers.items()},
        "quiet": None if rules.quiet is None else str(rules.quiet),
        "problems": loaded.problems,
    }


def _print_explained(each: Explained) -> None:
    click.echo(safe(f"{each.run}  {each.what}  {each.detail}".rstrip()))
    for line in each.why:
        click.echo(safe(f"    {line}"))
