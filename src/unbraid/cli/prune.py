"""`unbraid prune`: old runs out of the log."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import AGE, BYTES
from unbraid.cli.output import print_json

if TYPE_CHECKING:
    from unbraid.log.disk_space import Pruned


@click.command(
    epilog="""\b
Examples:
  unbraid prune --older-than 90d
  unbraid prune --max-size 2GB --dry-run
  unbraid prune --run 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33"""
)
@click.option(
    "--older-than", "age", type=AGE, help="Delete the content of runs older than this: 90d, 12h."
)
@click.option(
    "--max-size",
    "size",
    type=BYTES,
    help="Delete the oldest content until the log is smaller: 500MB, 2GB.",
)
@click.option("--run", "runs", multiple=True, metavar="RUN", help="Delete this run completely.")
@click.option("--dry-run", is_flag=True, help="Only print what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def prune(
    age: float | None,
    size: float | None,
    runs: tuple[str, ...],
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete old runs from the log and free the disk space.

    Only runs that have ended are deleted. With --older-than and --max-size they stay in the list of
    runs with their costs, without their content. The files of the agents' own CLIs are not touched.

    In a terminal, it asks before it deletes.
    """
    if age is None and size is None and not runs:
        raise click.UsageError("specify what to delete: --older-than, --max-size or --run")
    # What is piped, or called by a script, has nobody to ask.
    asks = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    asyncio.run(_prune(age, size, runs, dry_run=dry_run, asks=asks, as_json=as_json))


async def _prune(
    age: float | None,
    size: float | None,
    runs: tuple[str, ...],
    *,
    dry_run: bool,
    asks: bool,
    as_json: bool,
) -> None:
    from unbraid.log import opened_log
    from unbraid.log.disk_space import plan_prune

    oldest = None if age is None else max(round((time.time() - age) * 1000), 0)
    async with opened_log() as log:
        plan = await plan_prune(log, newer_than_ms=oldest, max_file_bytes=size, runs=runs)
        result = plan.expected
        if not dry_run:
            if asks and result.runs:
                click.echo(_sentence(result), err=True)
                click.confirm("Delete them?", abort=True, err=True)
            result = await plan.carry_out()
    if as_json:
        print_json(result)
    else:
        click.echo(_sentence(result))


def _sentence(result: Pruned) -> str:
    from unbraid.screen import byte_count, counted

    runs = counted(len(result.runs), "run")
    was, now = byte_count(result.bytes_before), byte_count(result.bytes_after)
    if result.dry_run:
        return f"{runs} would be deleted; the log is {was} and would be about {now}"
    return f"{runs} deleted; the log was {was} and is {now}"
