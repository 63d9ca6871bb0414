"""`unbraid ps`: the runs on this machine."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.cli.options.redaction import showing_option
from unbraid.cli.output.messages import warn
from unbraid.cli.output.progress import progress_bar
from unbraid.screen import safe_json

if TYPE_CHECKING:
    from unbraid.log.summary import RunSummary


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
    runs = [
        run
        for run in asyncio.run(_runs(everything=everything, redact=redact))
        if machine in (None, run.machine) and user in (None, run.user)
    ]
    if redact:
        from unbraid.redact.reader import redact_summary

        runs = [redact_summary(run) for run in runs]
    if as_json:
        from unbraid.record.sessions.run_list import to_json

        click.echo(safe_json(msgspec.json.encode([to_json(run) for run in runs])))
    else:
        _print(runs, everything=everything)


async def _runs(*, everything: bool, redact: bool) -> list[RunSummary]:
    from unbraid.log import LogUnusable, data_folder, opened_log, staleness
    from unbraid.record.sessions.all_runs import caught_up_runs, merge_runs
    from unbraid.record.sessions.run_list import list_sessions, newest_runs, oldest_listed_ms

    progress = progress_bar()
    try:
        async with opened_log() as log:
            if (stale := await staleness(log)) is not None:
                warn(stale)
            return await caught_up_runs(
                log,
                os.environ,
                data_folder(),
                everything=everything,
                warn=warn,
                progress=progress,
                redact=redact,
            )
    except LogUnusable as error:
        warn(f"the log cannot be read; listing only sessions outside of it: {error}")
    since_ms = oldest_listed_ms(everything=everything)
    sessions = list_sessions(
        os.environ, data_folder(), oldest_ms=since_ms, warn=warn, progress=progress
    )
    return newest_runs(merge_runs((), sessions), since_ms)


def _print(runs: list[RunSummary], *, everything: bool) -> None:
    from rich.console import Console

    from unbraid.cli.output.table import runs_table

    console = Console()
    if not console.is_terminal:
        console.width = 200
    nothing = "No runs in the last day. `unbraid ps --all` lists all runs."
    if everything:
        nothing = "No runs or sessions found. `unbraid doctor` shows where unbraid looks for them."
    console.print(runs_table(runs, console.width) if runs else nothing)
