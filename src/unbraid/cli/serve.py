"""`unbraid serve`: the HTTP server alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from unbraid.cli.arguments import MOST, FiniteRange

if TYPE_CHECKING:
    from unbraid.serve import ServeConfig


@click.command(
    epilog="""\b
Examples:
  unbraid serve
  unbraid serve --port 0 --require-token
  unbraid serve --host 0.0.0.0 --allow-host agents.example.org --redact"""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The port; 0: any free one.",
)
@click.option("--require-token", is_flag=True, help="Require a token on loopback, too.")
@click.option("--allow-host", multiple=True, help="Another host name of this server.")
@click.option(
    "--allow-origin", multiple=True, help="A page elsewhere that may read and steer, with a token."
)
@click.option("--redact", is_flag=True, help="Redact API keys and tokens, stored and shown.")
@click.option("--keep-days", type=FiniteRange(0, 1e6), help="Forget runs that ended longer ago.")
@click.option(
    "--keep-bytes",
    type=click.IntRange(0, MOST),
    help="Forget the oldest ended runs beyond this size.",
)
@click.option("--log", metavar="PATH", help="The log's file, or its address: sqlite:///PATH.")
def serve(
    host: str,
    port: int,
    require_token: bool,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    redact: bool,
    keep_days: float | None,
    keep_bytes: int | None,
    log: str | None,
) -> None:
    """Serve the log over HTTP: runs, their events as SSE, search, ingest, orchestration.

    Listens on loopback by default. Beyond it, and with --require-token, callers need a
    token: see `unbraid token`.
    """
    from unbraid.serve import ServeConfig, TokenFile

    config = ServeConfig(
        host=host,
        port=port,
        tokens=TokenFile().tokens(),
        require_token=require_token,
        hosts=allow_host,
        origins=allow_origin,
        redact=redact,
        keep_days=keep_days,
        keep_bytes=keep_bytes,
    )
    asyncio.run(_serve(config, log))


async def _serve(config: ServeConfig, log: str | None) -> None:
    from unbraid.machine import Machine
    from unbraid.orchestrate.service import orchestrator_factory
    from unbraid.serve import run_server

    async with Machine(log, redact=config.redact) as machine:
        await run_server(
            config,
            machine.log,
            on_ready=lambda server: click.echo(server.link(), err=True),
            controllers=machine.controllers,
            orchestrating=orchestrator_factory(machine.env),
        )
