"""`unbraid watch`: every agent on this machine, live."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import (
    log_option,
    otlp_options,
    port_option,
    redact_option,
    servers_option,
    token_file_option,
    token_of,
    traces_of,
)
from unbraid.system.process import raise_descriptor_limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from unbraid.machine import Machine
    from unbraid.send.delivery import Destination
    from unbraid.send.otel import Traces


@click.command(
    short_help="Record every agent on this machine and show them on a page.",
    epilog="""\b
Examples:
  unbraid
  unbraid --redact
  unbraid watch --port 0
  unbraid watch --no-page
  unbraid watch --no-page --redact --to https://agents.example.org""",
)
@port_option
@click.option("--page/--no-page", default=True, help="Serve the page and print its address.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@servers_option
@click.option("--keep", is_flag=True, help="Also import every stored session.")
@click.option("--to", metavar="URL", help="Also send all runs to the server at this address.")
@token_file_option
@click.option("--all", "everything", is_flag=True, help="With --to: also send older runs.")
@click.option(
    "--since",
    metavar="TIME",
    help="With --to: also send older runs since then: 7d, 12h, or a date.",
)
@otlp_options
@log_option
@redact_option
def watch(
    port: int = 8420,
    page: bool = True,
    opens: bool = False,
    servers: tuple[str, ...] = (),
    keep: bool = False,
    to: str | None = None,
    token_file: Path | None = None,
    everything: bool = False,
    since: str | None = None,
    log: str | None = None,
    redact: bool = False,
    otlp: str | None = None,
    otlp_content: bool = False,
) -> None:
    """Record every agent on this machine, and show them on a page.

    No setup is needed: the sessions of Claude Code, OpenCode, Codex and Kilo are read where they
    are stored, and nothing is written there. Stop with Ctrl-C; the next start continues from there.

    With --keep, all stored sessions are imported too, each once, so that they remain when the CLIs
    delete them.

    With --redact, API keys and tokens are redacted in the log, on the page (also in older sessions
    opened there), and in what is sent.

    With --to, live runs and everything recorded from now on are also sent to a server; with --all
    or --since, older runs too. While the server cannot be reached, recording continues, and the
    rest is sent later, once. Tokens with the scope `control` can steer these runs from the server.
    The server's access token needs the scope `ingest`. It is read from --token-file or from
    UNBRAID_TOKEN, never from the command line.
    """
    if to is None and (everything or since is not None):
        raise click.UsageError("--all and --since need --to")
    destination, since_ms = None, None
    if to is not None:
        from unbraid.record.sessions.costs import since_ms as parse_time
        from unbraid.send.delivery import Destination
        from unbraid.system.home import data_folder

        destination = Destination(to, token_of(token_file), home=data_folder(), redact=redact)
        if everything or since is not None:
            since_ms = 0 if everything else parse_time(since, time.time())
    from unbraid.machine import Machine

    # Every live session with hooks has a socket.
    raise_descriptor_limit()
    machine = Machine(log, redact=redact, servers=servers, even_away=True)
    traces = partial(traces_of, otlp, content=otlp_content)
    watching = _watch(
        machine, destination, since_ms, traces, port=port if page else None, keep=keep, opens=opens
    )
    asyncio.run(watching)


async def _watch(
    machine: Machine,
    to: Destination | None,
    since_ms: int | None,
    traces_of: Callable[[Callable[[str], None]], Traces | None],
    *,
    port: int | None,
    keep: bool,
    opens: bool,
) -> None:
    from unbraid.agents.registry import plugin_problems
    from unbraid.cli.table import SessionTable

    until, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, until.set)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(machine)
        overview = SessionTable(machine.sessions)
        machine.warn = overview.say
        for name, problem in plugin_problems().items():
            overview.say(f"the plugin {name} cannot be used: {problem}")
        traces = traces_of(overview.say)
        if traces is not None:
            await stack.enter_async_context(traces.following(machine.log))
        await stack.enter_async_context(machine.listing(overview.add, while_reading=overview))
        # Whatever begins now would slow down the reading of what a person sees first.
        await overview.filled()
        delivery = None
        if to is not None:
            delivery = await stack.enter_async_context(machine.sending(to, since_ms=since_ms))
        if port is not None:
            from unbraid.cli.page import page as serve

            served = serve(
                machine,
                port=port,
                # Two that follow this machine would be one too many.
                port_required=True,
                opens=opens,
                home=machine.home,
                history=True,
                orchestrates=True,
                delivery=None if delivery is None else lambda: delivery.status,
                say=overview.say,
                show_address=overview.show_address,
            )
            await stack.enter_async_context(served)
        if keep:
            await stack.enter_async_context(machine.session_import())
        await stack.enter_async_context(machine.alerting(overview.alert))
        await machine.watch(until)
