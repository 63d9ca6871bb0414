"""`unbraid ps`: the runs on this machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import showing_option
from unbraid.cli.output import print_json, progress_bar, warn

if TYPE_CHECKING:
    from unbraid.log.summary import RunSummary

JSON_FIELDS = (
    "run", "source", "session_id", "title", "cwd", "status", "waiting", "agents", "started",
    "updated", "usage", "machine", "user",
)  # fmt: skip


@click.command(
    short_help="List runs with status, agents, tokens, cost and age.",
    epilog="""\b
Examples:
  unbraid ps
  unbraid ps --all --json | jq '.[] | select(.status == "waiting")'""",
)
@click.option(
    "--all", "everything", is_flag=True, help="List the whole history, not only the last day."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option("--machine", help="Only the runs of this machine.")
@click.option("--user", help="Only the runs of this user.")
@showing_option
def ps(
    everything: bool, as_json: bool, machine: str | None, user: str | None, redact: bool
) -> None:
    """List live runs and those of the last day, with status, agents, tokens, cost and age.

    Includes sessions stored by the agents' own CLIs that are not in the log, and what sessions in
    the log have said since they were recorded.
    """
    from unbraid.machine import listed_runs

    listed = listed_runs(everything=everything, redact=redact, warn=warn, progress=progress_bar())
    runs = [
        run
        for run in asyncio.run(listed)
        if machine in (None, run.machine) and user in (None, run.user)
    ]
    if redact:
        from unbraid.redact.reader import redact_summary

        runs = [redact_summary(run) for run in runs]
    if as_json:
        print_json([{name: getattr(run, name) for name in JSON_FIELDS} for run in runs])
    else:
        _print(runs, everything=everything)


def _print(runs: list[RunSummary], *, everything: bool) -> None:
    from rich.console import Console

    from unbraid.cli.table import runs_table

    console = Console()
    if not console.is_terminal:
        console.width = 200
    nothing = "No runs in the last day. `unbraid ps --all` lists all runs."
    if everything:
        nothing = "No runs or sessions found. `unbraid doctor` shows where unbraid looks for them."
    console.print(runs_table(runs, console.width) if runs else nothing)
