"""`unbraid doctor`: what can be seen on this machine."""

from __future__ import annotations

import asyncio
import os

import click
import msgspec

from unbraid.cli.arguments import log_option
from unbraid.screen import safe_json

MARKS = {"ok": ("✔", "green"), "warning": ("!", "yellow"), "missing": ("·", "white")}


@click.command(
    short_help="Check what was found on this machine.",
    epilog="""\b
Examples:
  unbraid doctor
  unbraid doctor --json
  unbraid doctor --log nats://a,b,c""",
)
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
@log_option
def doctor(as_json: bool, log: str | None) -> None:
    """Show what was found on this machine, what each version can and cannot show, and what to do
    about it.
    """
    from unbraid.checkup import checkup
    from unbraid.screen import safe

    findings = asyncio.run(checkup(os.environ, log))
    if as_json:
        click.echo(safe_json(msgspec.json.encode(findings)))
        return
    for finding in findings:
        mark, color = MARKS[finding.status]
        click.echo(f"{click.style(mark, fg=color)} {finding.about}: {safe(finding.found)}")
        if finding.advice:
            click.echo(f"    {safe(finding.advice)}")
