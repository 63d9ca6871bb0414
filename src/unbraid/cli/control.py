"""`unbraid send`, `interrupt` and `stop`: steer a run that `unbraid run` has started."""

from __future__ import annotations

import asyncio
import os

import click

from unbraid.cli.options.arguments import complete_run, run_and_stream


@click.command(
    short_help="Send a message to an agent.",
    epilog="""\b
Examples:
  unbraid send 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33 "Look at the tests, too."
  unbraid send 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2 "Only in src, please."
""",
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
@click.argument("text")
def send(agent: str, text: str) -> None:
    """Send a message to the main agent of a run, or to a sub-agent that accepts one."""
    run, stream = run_and_stream(agent)
    asyncio.run(_steer(run, "message", text=text, stream_id=stream or 0))


@click.command(
    short_help="Interrupt the main agent of a run.",
    epilog="""\b
Examples:
  unbraid interrupt 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33""",
)
@click.argument("run", shell_complete=complete_run)
def interrupt(run: str) -> None:
    """Interrupt what the main agent of RUN is doing. It then waits for the next message."""
    asyncio.run(_steer(run, "interrupt"))


@click.command(
    epilog="""\b
Examples:
  unbraid stop 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid stop 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2"""
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
def stop(agent: str) -> None:
    """Stop one sub-agent of a run, or the whole run."""
    run, stream = run_and_stream(agent)
    asyncio.run(_steer(run, "stop" if stream else "cancel", stream_id=stream or 0))


async def _steer(run: str, verb: str, *, text: str | None = None, stream_id: int = 0) -> None:
    from unbraid.steer.controllers import reachable_runs

    async with reachable_runs(os.environ) as runs:
        await runs.steer(run, verb, text, stream_id=stream_id)
