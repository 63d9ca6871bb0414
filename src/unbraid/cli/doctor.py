"""`unbraid doctor`: what can be seen on this machine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from unbraid.cli.options import log_option
from unbraid.cli.output import print_json

MARKS = {"ok": ("✔", "green"), "warning": ("!", "yellow"), "missing": ("·", "white")}


@click.command(
    short_help="Check this machine and what unbraid can see on it.",
    epilog="""\b
Examples:
  unbraid doctor
  unbraid doctor --json
  unbraid doctor --log nats://a,b,c
  unbraid doctor --log nats://a,b,c --repair""",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option("--repair", is_flag=True, help="Restore what a shared log has lost.")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Restore from this file: a copy or a backup.",
)
@log_option
def doctor(as_json: bool, repair: bool, source: Path | None, log: str | None) -> None:
    """Check this machine: which agents were found, what each version can show, and what to do
    about problems.

    With --repair, a shared log gets back what it has lost, from this machine's copy or from FILE.
    Records that it already has are skipped. A copy that is damaged is built again. No file is
    deleted: the copy is set aside.
    """
    from unbraid.cli.checkup import checkup
    from unbraid.screen import safe

    if repair or source is not None:
        _repair(log, source)
        return
    findings = asyncio.run(checkup(os.environ, log))
    if as_json:
        print_json(findings)
        return
    for finding in findings:
        mark, color = MARKS[finding.status]
        click.echo(f"{click.style(mark, fg=color)} {finding.about}: {safe(finding.found)}")
        if finding.advice:
            click.echo(f"    {safe(finding.advice)}")


def _repair(log: str | None, source: Path | None) -> None:
    from unbraid.log.repair import repair_log

    repaired = asyncio.run(repair_log(log, os.environ, source=source))
    if repaired.damaged is not None:
        click.echo(f"This machine's copy was damaged. It was moved to {repaired.damaged}.")
        click.echo("A new one is made from the log; restart the programs that used the old one.")
    if repaired.restored is None:
        if repaired.damaged is None:
            click.echo("Nothing to repair: the log has everything that this machine's copy has.")
        return
    restored = repaired.restored
    click.echo(
        f"{restored.events:,} events of {restored.runs:,} runs were restored from"
        f" {repaired.source}."
    )
    for run in restored.differing:
        click.echo(f"  {run} has other events in the log; those in the file were left alone.")
