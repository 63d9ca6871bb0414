"""`unbraid run` and `pipe`: log the run of an agent that is started, or read from a pipe."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from unbraid.cli.options import (
    budget_options,
    destination_of,
    destination_options,
    limits_of,
    log_option,
    otlp_options,
    port_option,
    redact_option,
    traces_of,
)
from unbraid.cli.output import warn

if TYPE_CHECKING:
    from unbraid.log.port import Log
    from unbraid.steer.controllers import Controllers


@click.command(
    short_help="Start an agent and log its run with all sub-agents.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="""\b
Examples:
  unbraid run -- claude -p "Fix the tests"
  unbraid run -- opencode run "Fix the tests"
  unbraid run -- codex exec --json "Fix the tests"
  unbraid run --steer -- claude -p "Fix the tests"
  unbraid run --serve -- claude -p "Fix the tests"
  unbraid run --max-cost 2.50 --max-time 30m -- claude -p "Fix the tests"
  unbraid run --to https://agents.example.org -- claude -p "Fix the tests\"""",
)
@click.option(
    "--steer",
    "steered",
    is_flag=True,
    help="Let others send messages and answer permission requests.",
)
@click.option("--serve", "served", is_flag=True, help="Also serve the page while it works.")
@budget_options
@port_option
@log_option
@redact_option
@otlp_options
@destination_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def run(
    command: tuple[str, ...],
    steered: bool,
    served: bool,
    port: int,
    log: str | None,
    redact: bool,
    otlp: str | None,
    otlp_content: bool,
    to: str | None,
    token: str | None,
    linger: float,
    **limits: Any,
) -> None:
    """Start COMMAND… and log its run, with all its sub-agents, while it works.

    Output, input, signals and exit code are the same as without unbraid. If the log cannot be
    written, the agent continues and a warning is printed. If the server given with --to cannot be
    reached, the run is kept and sent later.

    With --steer, Claude Code gets the prompt after `-p` over standard input and accepts messages
    until it has answered: use `unbraid send`, `interrupt` and `stop RUN/STREAM`. A tool that would
    be denied asks for permission instead; answer with `unbraid approve` or `deny`. The same works
    for `codex exec`, which then runs in a `codex app-server`. With --to as well, those who may
    control runs on that server can do the same there.

    With --serve, the page and the HTTP API are available while the agent works, and the run can be
    steered from there. The address is printed on standard error.

    With --max-cost, --max-tokens, --max-time or --max-agents, which count all agents together, a
    notice is printed at 80%. At 100% the run is interrupted, or ended where it cannot be
    interrupted, and what was spent is printed and logged with the command that continues the run.
    Costs that the CLI does not report are computed as in `unbraid cost`.

    With --redact, API keys and tokens are redacted in the log, in what is sent, and on the page.
    The agent's own output is passed through unchanged.
    """
    from unbraid.record.run import run as start

    sending = destination_of(to, token, linger=linger, warn=warn, redact=redact)
    traces, trace = traces_of(otlp, warn, content=otlp_content, joins=True), None
    if traces is not None:
        from unbraid.send.otel import LaunchedTrace

        trace = LaunchedTrace(traces)
    started = start(
        command,
        os.environ,
        warn,
        sending=sending,
        face=partial(_page, port=port, redact=redact) if served else None,
        trace=trace,
        limits=limits_of(**limits),
        steered=steered,
        redact=redact,
        log=log,
    )
    sys.exit(asyncio.run(started))


@click.command(
    short_help="Pass standard input through and log the run in it.",
    epilog="""\b
Examples:
  claude -p "…" --output-format stream-json --verbose | unbraid pipe
  claude -p "…" --output-format stream-json --verbose | unbraid pipe | jq .type""",
)
@log_option
@redact_option
@destination_options
def pipe(log: str | None, redact: bool, to: str | None, token: str | None, linger: float) -> None:
    """Pass standard input through unchanged, and log the run in it.

    The session's transcripts are found and merged, so that the log also has what sub-agents say and
    the CLI does not print. With --redact, API keys and tokens are redacted in the log and in what
    is sent.

    Ctrl-C is left to the agent: its remaining output is passed on and logged until it exits.
    """
    from unbraid.record.run import pipe as follow

    if not sys.stdin.isatty():
        # A Ctrl-C goes to the whole pipeline: the agent's last words are still to come.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sending = destination_of(to, token, linger=linger, warn=warn, redact=redact)
    asyncio.run(follow(_stdin(), os.environ, warn, sending=sending, redact=redact, log=log))


@asynccontextmanager
async def _page(
    log: Log, controllers: Controllers, *, port: int, redact: bool
) -> AsyncIterator[None]:
    """Serves the page of a run while it works, and alerts people about it."""
    from unbraid.cli.page import page
    from unbraid.machine import Machine

    machine = Machine(log, controllers=controllers, redact=redact, warn=warn)
    async with (
        machine,
        machine.alerting(),
        page(machine, port=port, home=machine.home),
    ):
        yield


async def _stdin() -> AsyncIterator[bytes]:
    # A thread, because a file on standard input cannot be waited for, and nothing else reads both.
    from unbraid.record.child import read_in

    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes](64)

    def read() -> None:
        data = b"more"
        while data:
            try:
                data = read_in()
            except OSError as error:
                warn(f"standard input cannot be read: {error.strerror}")
                data = b""
            asyncio.run_coroutine_threadsafe(chunks.put(data), loop).result()

    threading.Thread(target=read, daemon=True).start()
    while data := await chunks.get():
        yield data
