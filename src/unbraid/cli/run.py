"""`unbraid run`: start an agent and log its run."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

import click

from unbraid.cli.arguments import log_option, port_option
from unbraid.cli.budget import budget_options, limits_of
from unbraid.cli.destination import destination_of, destination_options
from unbraid.cli.messages import warn
from unbraid.cli.otlp import otlp_options, traces_of
from unbraid.cli.redaction import redact_option


@click.command(
    short_help="Start an agent, and log its run with all sub-agents.",
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
@click.option("--steer", "steered", is_flag=True, help="Accept messages while it works.")
@click.option("--serve", "served", is_flag=True, help="Show the run on a web page, too.")
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

    Its output, its input, its signals and its exit code are as they would be without unbraid. If
    the log cannot be written, the agent goes on and a warning says so. So it does if the server
    that it is sent --to is away: the run is kept, and sent when the server is back.

    With --steer, Claude Code gets the prompt after `-p` over its standard input, and goes on
    listening until it has answered: `unbraid send`, `interrupt` and `stop RUN/STREAM` work, and a
    tool that would be denied asks for permission instead: `unbraid approve` or `deny` answers. The
    same works for `codex exec`, whose work is then done by a `codex app-server`.

    With --serve, everything that `unbraid serve` gives is there for as long as the agent works, and
    the run can be steered over HTTP. The page's address is printed on standard error.

    With --max-cost, --max-tokens, --max-time or --max-agents, over all agents together, a notice
    comes when 80% are used; when all is, the run is interrupted, or ended where that is not
    possible, and what was spent and the command that goes on are printed and logged. Costs that
    its CLI does not report are computed, as by `unbraid cost`.

    With --redact, API keys and tokens are redacted in the log, in what is sent, and on the page.
    What the agent prints passes through as it is.
    """
    from unbraid.launch.run import run as start

    sending, face = destination_of(to, token, linger, warn), None
    if served:
        from unbraid.cli.page import page
        from unbraid.log.folder import data_folder

        face = partial(page, port=port, redact=redact, home=data_folder())
    traces, trace = traces_of(otlp, warn, content=otlp_content, joins=True), None
    if traces is not None:
        from unbraid.otel.delivery import LaunchedTrace

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
