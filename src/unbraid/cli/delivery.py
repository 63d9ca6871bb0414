"""`unbraid deliver` and `unbraid otel`: send runs that are stored here to other programs."""

from __future__ import annotations

import asyncio
import os
import sys

import click

from unbraid.cli.options import MOST_SECONDS, FiniteRange, content_option, token_option
from unbraid.cli.output import warn


@click.command(
    short_help="Send runs that could not be sent earlier.",
    epilog="""\b
Examples:
  unbraid deliver
  UNBRAID_TOKEN=… unbraid deliver --for 600""",
)
@token_option
@click.option(
    "--for",
    "seconds",
    type=FiniteRange(0, MOST_SECONDS),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to try each run.",
)
@click.option(
    "--discard", metavar="RUN", help="Try this run once more, then delete what is unsent."
)
def deliver(token: str | None, seconds: float, discard: str | None) -> None:
    """Send runs that `run --to`, `pipe --to` or `watch --to` could not send, or that the server
    refused. A run is kept until the server has acknowledged all of it.

    Exits with 1 if something is still unsent.
    """
    sys.exit(1 if asyncio.run(_deliver(token, seconds, discard)) else 0)


async def _deliver(token: str | None, seconds: float, discard: str | None) -> bool:
    """Returns whether something is left."""
    from unbraid.screen import safe
    from unbraid.send.delivery import deliver as send
    from unbraid.system.home import data_folder

    left = False
    sending = send(data_folder(), token, warn, seconds=seconds, discarded=discard)
    async for sent, arrived in sending:
        left = left or not (arrived or sent.run == discard)
        click.echo(safe(f"{sent.run}  {sent.url}  {'arrived' if arrived else 'not sent'}"))
    return left


@click.command(
    short_help="Send runs as OpenTelemetry traces.",
    epilog="""\b
Examples:
  unbraid otel --endpoint http://localhost:6006 2f330b27
  unbraid otel --endpoint http://localhost:4318
  OTEL_EXPORTER_OTLP_HEADERS="x-honeycomb-team=…" \\
    unbraid otel --endpoint https://api.honeycomb.io""",
)
@click.argument("runs", nargs=-1, metavar="[RUN…]")
@click.option(
    "--endpoint",
    metavar="URL",
    help="The collector's address, for OTLP over HTTP.  [env var: OTEL_EXPORTER_OTLP_ENDPOINT]",
)
@content_option
@click.option(
    "--all", "everything", is_flag=True, help="Send all runs in the log, even if sent before."
)
def otel(runs: tuple[str, ...], endpoint: str | None, content: bool, everything: bool) -> None:
    """Send runs as traces: agents, model messages, tool calls and permission requests as spans.

    RUN is the id of a run in `unbraid ps` or of a session stored on this machine, or an unambiguous
    prefix of it. Without RUN, sends everything in the log that this collector has not received yet,
    so an interrupted export continues where it stopped. Ids are derived from the run: sending it
    again changes nothing. A span is sent when it has ended.

    Needs the extra: pip install 'unbraid[otel]'. Headers and certificates are read from the
    standard environment variables of OpenTelemetry. TRACEPARENT becomes the parent of runs that
    have not been sent before.
    """
    if runs and everything:
        raise click.UsageError("specify runs, or use --all")
    sent, going_on = asyncio.run(_send(runs, endpoint, content=content, everything=everything))
    more = f"; {going_on} go on" if going_on else ""
    click.echo(f"{sent} spans sent{more}")


async def _send(
    names: tuple[str, ...], endpoint: str | None, *, content: bool, everything: bool
) -> tuple[int, int]:
    from unbraid.errors import CallerError
    from unbraid.fold.run_trace import TraceParent
    from unbraid.log import configured_log
    from unbraid.machine import Machine
    from unbraid.send.otel import Traces, TraceSender, collector_of, problem_with

    collector = collector_of(endpoint, os.environ, required=True)
    assert collector is not None
    if (problem := problem_with(collector, os.environ)) is not None:
        raise CallerError(problem)
    async with Machine(warn=warn) as machine:
        parent = TraceParent.parse(os.environ.get("TRACEPARENT"))
        traces = Traces(
            collector,
            machine.home,
            str(configured_log()),
            warn=warn,
            content=content,
            parent=parent if names else None,
        )
        sender, going_on = TraceSender(machine.log, traces), 0
        try:
            for name in names:
                run = (await machine.open(name)).run
                await sender.consumer(run=run).catch_up()
                going_on += sender.has_open(run)
            if not names:
                if not traces.acquire():
                    raise CallerError("another unbraid is sending this log to that collector")
                consumer = sender.consumer(cursor=traces.cursor)
                if await consumer.begin() or everything:
                    consumer.position = 0
                await consumer.catch_up()
        finally:
            sender.close()
            traces.cursor.release()
        return sender.sent, going_on
