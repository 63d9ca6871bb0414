"""`unbraid run`: start an agent and log its run."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

import click

from unbraid.cli.options.arguments import log_option, port_option
from unbraid.cli.options.budget import budget_options, limits_of
from unbraid.cli.options.destination import destination_of, destination_options
from unbraid.cli.options.otlp import otlp_options, traces_of
from unbraid.cli.options.redaction import redact_option
from unbraid.cli.output.messages import warn


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
    max_cost: float | None,
    max_tokens: int | None,
    max_time: float | None,
    max_agents: int | None,
    port: int,
    log: str | None,
    redact: bool,
    otlp: str | None,
    otlp_content: bool,
    to: str | None,
    token: str | None,
    linger: float,
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

    sending, face = destination_of(to, token, linger=linger, warn=warn, redact=redact), None
    if served:
        from unbraid.cli.output.page import page
        from unbraid.system.home import data_folder

        face = partial(page, port=port, redact=redact, home=data_folder())
    traces, trace = traces_of(otlp, warn, content=otlp_content, joins=True), None
    if traces is not None:
        from unbraid.send.otel_sender import LaunchedTrace

        trace = LaunchedTrace(traces, warn=warn)
    started = start(
        command,
        os.environ,
        warn,
        sending=sending,
        face=face,
        trace=trace,
        limits=limits_of(
            max_cost=max_cost, max_tokens=max_tokens, max_time=max_time, max_agents=max_agents
        ),
        steered=steered,
        redact=redact,
        log=log,
    )
    sys.exit(asyncio.run(started))
