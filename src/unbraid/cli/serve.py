"""`unbraid serve`: the HTTP server alone."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unbraid.cli.options import MOST, FiniteRange, log_option, otlp_options, traces_of
from unbraid.cli.output import warn

if TYPE_CHECKING:
    from unbraid.send.otel import Traces
    from unbraid.serve import ServeConfig

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    short_help="Serve the page, the API and SSE over HTTP.",
    epilog="""\b
Examples:
  unbraid serve
  unbraid serve --port 0
  unbraid serve --host 0.0.0.0 --allow-host agents.example.org --redact
  unbraid serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem""",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The port; 0 picks a free one.",
)
@click.option("--require-token", is_flag=True, hidden=True, help="A token is always required.")
@click.option(
    "--allow-host", "hosts", multiple=True, help="Accept requests for this host name too."
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    help="Allow this web origin to read and steer, with a token.",
)
@click.option("--tls-cert", type=_FILE, help="TLS certificate (PEM).")
@click.option("--tls-key", type=_FILE, help="TLS key (PEM), if it is in another file.")
@click.option(
    "--trust-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Trust X-Forwarded headers from this proxy or network.",
)
@click.option(
    "--orchestrate",
    "orchestrates",
    is_flag=True,
    help="Run agents here for tokens with the scope orchestrate.",
)
@click.option("--redact", is_flag=True, help="Redact API keys and tokens, stored and shown.")
@click.option("--keep-days", type=FiniteRange(0, 1e6), help="Delete runs that ended longer ago.")
@click.option(
    "--keep-bytes",
    type=click.IntRange(0, MOST),
    help="Delete the oldest ended runs beyond this size.",
)
@otlp_options
@log_option
def serve(
    *,
    require_token: bool,
    orchestrates: bool,
    log: str | None,
    otlp: str | None,
    otlp_content: bool,
    **settings: Any,
) -> None:
    """Serve the log over HTTP: the page, the API, and events as SSE.

    Prints a link that signs one browser in. Other clients need a token, also on loopback: see
    `unbraid token`. Your own unbraid commands need none.

    Listens on loopback by default. With --orchestrate, callers whose token allows it can run agents
    on this machine, as the user who started the server.
    """
    from unbraid.serve import ServeConfig, TokenFile
    from unbraid.system.home import data_folder

    config = ServeConfig(token_file=TokenFile(), home=data_folder(), **settings)
    traces = traces_of(otlp, warn, content=otlp_content, log=log)
    asyncio.run(_serve(config, log, traces, orchestrates=orchestrates))


async def _serve(
    config: ServeConfig, log: str | None, traces: Traces | None, *, orchestrates: bool
) -> None:
    from unbraid.machine import Machine
    from unbraid.system.tasks import stopped_by_signals

    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(
            Machine(log, redact=config.redact, even_away=True, warn=warn)
        )
        if traces is not None:
            await stack.enter_async_context(traces.following(machine.log))
        await stack.enter_async_context(machine.alerting())
        stop = asyncio.Event()
        server = await stack.enter_async_context(machine.serving(config, orchestrates=orchestrates))
        with stopped_by_signals(stop):
            click.echo(server.link(), err=True)
            await stop.wait()
