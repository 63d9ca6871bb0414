"""`unbraid tail`: follow runs in the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import click


@click.command(
    epilog="""\b
Examples:
  unbraid tail
  unbraid tail 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid tail --json | jq .type"""
)
@click.argument("run", required=False)
@click.option("--json", "as_json", is_flag=True, help="Events, one JSON object a line.")
@click.option("--since", type=int, default=None, help="Begin after this place in the log.")
def tail(run: str | None, as_json: bool, since: int | None) -> None:
    """Follow RUN, from its beginning to its end, one gutter per agent; or, without RUN, everything
    that is said from now on. What is followed is the log: `unbraid` or `unbraid run` fill it, and a
    session that is named is read into it.
    """
    asyncio.run(_tail(run, since, as_json=as_json))


async def _tail(run: str | None, since: int | None, *, as_json: bool) -> None:
    from unbraid.cli.printer import Printer, terminal_width
    from unbraid.events import decode_event
    from unbraid.live.history import opened
    from unbraid.log import Entry, SqliteLog, data_folder

    log = await SqliteLog.open()
    try:
        batches: AsyncIterator[list[Entry]]
        if run is None:
            batches = log.follow_all(since)
        else:
            summary = await opened(log, run, os.environ, data_folder())
            batches = log.follow(summary.run, since or 0)
        printers: dict[str, Printer] = {}
        async for batch in batches:
            for entry in batch:
                if as_json:
                    sys.stdout.buffer.write(entry.data + b"\n")
                    continue
                if entry.run not in printers:
                    printers[entry.run] = Printer(terminal_width())
                    if run is None:
                        click.echo(click.style(f"── {entry.run}", bold=True))
                for line in printers[entry.run].lines(decode_event(entry.data)):
                    click.echo(line)
            sys.stdout.flush()
    finally:
        await log.close()
