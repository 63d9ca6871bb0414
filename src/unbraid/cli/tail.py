"""`unbraid tail`: follow runs in the terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator

import click

from unbraid.cli import INTERRUPTED
from unbraid.cli.options.arguments import MOST, complete_run
from unbraid.cli.options.redaction import redact_option, redacted_log
from unbraid.screen import safe_json


@click.command(
    short_help="Follow one run, or all runs.",
    epilog="""\b
Examples:
  unbraid tail
  unbraid tail 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid tail --json | jq .type
  unbraid tail --redact""",
)
@click.argument("run", required=False, shell_complete=complete_run)
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@click.option("--since", type=click.IntRange(0, MOST), help="Start after this cursor.")
@redact_option
def tail(run: str | None, as_json: bool, since: int | None, redact: bool) -> None:
    """Follow RUN from its beginning to its end. Without RUN, follow all runs from now on.

    RUN is the id of a run in `unbraid ps`, or an unambiguous prefix of it. `unbraid` and `unbraid
    run` add runs to the log. A stored session given as RUN is read into the log first, and followed
    unless another unbraid is already following it.
    """
    try:
        asyncio.run(_tail(run, since, as_json=as_json, redact=redact))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # the only way to end it: no error


async def _tail(run: str | None, since: int | None, *, as_json: bool, redact: bool) -> None:
    from contextlib import AsyncExitStack

    from unbraid.cli.output.log_batches import batches_with_pauses
    from unbraid.cli.output.messages import warn
    from unbraid.cli.output.printer import Printer, terminal_width
    from unbraid.log import Entry
    from unbraid.machine import Machine

    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(Machine(redact=redact, warn=warn))
        log = machine.log
        batches: AsyncIterator[list[Entry]]
        if run is None:
            batches = redacted_log(log, redact=redact).follow_all(since)
            if sys.stdout.isatty():
                # A screen that stays empty looks as if something were broken.
                click.echo("Waiting for new output. Press Ctrl-C to stop.", err=True)
        else:
            summary = await machine.open(run)
            batches = redacted_log(log, redact=redact).follow(summary.run, since or 0)
            await stack.enter_async_context(machine.following(summary))
        printers: dict[str, Printer] = {}
        shown = run
        async for batch in batches_with_pauses(batches, log):
            for printer in printers.values():
                printer.fit(terminal_width())
            for entry in batch:
                event = entry.event  # raises if it is damaged, which its bytes would not show
                if as_json:
                    sys.stdout.buffer.write(safe_json(entry.data) + b"\n")
                    continue
                printer = printers.setdefault(entry.run, Printer(terminal_width()))
                lines = printer.lines(event)
                shown = _print(entry.run, lines, shown, alone=run is not None)
                if entry.type == "done":
                    del printers[entry.run]
            for name, printer in () if batch else printers.items():
                shown = _print(name, printer.flush(), shown, alone=run is not None)
            sys.stdout.flush()


def _print(name: str, lines: Iterator[str], shown: str | None, *, alone: bool) -> str | None:
    """Prints lines of a run, below its name if another run's came before; returns the run printed
    last.
    """
    for line in lines:
        if not alone and shown != name:
            click.echo(click.style(f"── {name}", bold=True))
        shown = name
        click.echo(line)
    return shown
