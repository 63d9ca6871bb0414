"""`unbraid prune`: old runs out of the log."""

from __future__ import annotations

import asyncio
import time

import click

from unbraid.cli.options.arguments import AGE, BYTES
from unbraid.screen import safe_json


@click.command(
    epilog="""\b
Examples:
  unbraid prune --older-than 90d
  unbraid prune --max-size 2GB
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
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def prune(age: float | None, size: float | None, runs: tuple[str, ...], as_json: bool) -> None:
    """Delete old runs from the log and free the disk space.

    Only runs that have ended are deleted. With --older-than and --max-size they stay in the list of
    runs with their costs, without their content. The files of the agents' own CLIs are not touched.
    """
    if age is None and size is None and not runs:
        raise click.UsageError("specify what to delete: --older-than, --max-size or --run")
    asyncio.run(_prune(age, size, runs, as_json=as_json))


async def _prune(
    age: float | None, size: float | None, runs: tuple[str, ...], *, as_json: bool
) -> None:
    import msgspec

    from unbraid.log import machine_log, opened_log
    from unbraid.log.disk_space import pruned
    from unbraid.screen import byte_count, counted

    oldest = None if age is None else max(round((time.time() - age) * 1000), 0)
    async with opened_log() as log:
        result = await pruned(
            log, newer_than_ms=oldest, max_file_bytes=size, runs=runs, file=machine_log()
        )
    if as_json:
        click.echo(safe_json(msgspec.json.encode(result)))
        return
    was, now = byte_count(result.bytes_before), byte_count(result.bytes_after)
    click.echo(f"{counted(len(result.runs), 'run')} deleted; the log was {was} and is {now}")
