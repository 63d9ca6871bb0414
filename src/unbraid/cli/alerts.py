"""`unbraid alerts`: the rules by which people are alerted, listed, tested and explained."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import click

from unbraid.cli.output import print_json, warn
from unbraid.screen import safe

if TYPE_CHECKING:
    from unbraid.send.user_rules import ExplainedCondition, LoadedRules


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  unbraid alerts
  unbraid alerts --json
  unbraid alerts test phone
  unbraid alerts explain""",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, without secrets.")
@click.pass_context
def alerts(ctx: click.Context, as_json: bool) -> None:
    """List the rules that decide when you are alerted about agents.

    Alerts are sent while `unbraid`, `unbraid watch`, `top` or `serve` runs: when an agent waits for
    permission or for a prompt, fails, loses its process, is silent while it works, repeats itself,
    or reaches its budget. They appear in the terminal and wherever else your rules send them. The
    rules are in alerts.toml in the UNBRAID_HOME folder, or in the file that UNBRAID_ALERTS names.
    Without a file, the defaults apply.
    """
    if ctx.invoked_subcommand is not None:
        return
    loaded = _loaded()
    if as_json:
        print_json(_listing(loaded))
    else:
        _print(loaded)
    sys.exit(1 if loaded.problems else 0)


@alerts.command("test")
@click.argument("receiver", required=False)
def send_test(receiver: str | None) -> None:
    """Send a test message to RECEIVER, or to all receivers."""
    from unbraid.send.user_rules import try_receivers

    loaded = _loaded()
    results = asyncio.run(try_receivers(loaded.rules, os.environ, receiver, ring=_ring))
    for name, problem in results.items():
        click.echo(f"{safe(name)}: {'sent' if problem is None else safe(problem)}")
    sys.exit(1 if any(results.values()) else 0)


@alerts.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def explain(as_json: bool) -> None:
    """Show which alerts apply to live runs now, and why."""
    from unbraid.send.user_rules import explained

    found = asyncio.run(explained(_loaded().rules))
    if as_json:
        print_json(found)
        return
    for each in found:
        _print_explained(each)
    if not found:
        click.echo("No alerts: no agent is waiting, silent or near its budget.")


def _ring(text: str) -> None:
    # What is piped is no terminal that could show it.
    if sys.stderr.isatty():
        click.echo(text, nl=False, err=True, color=True)


def _loaded() -> LoadedRules:
    from unbraid.send.user_rules import UserRules

    loaded = UserRules(os.environ).load()
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
    click.echo(f"from {where}" if loaded.is_there else f"defaults; to change them, create {where}")


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


def _print_explained(each: ExplainedCondition) -> None:
    click.echo(safe(f"{each.run}  {each.what}  {each.detail}".rstrip()))
    for line in each.why:
        click.echo(safe(f"    {line}"))
