"""`unbraid watch`: every agent on this machine, live."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unbraid.cli.options.arguments import log_option, port_option, servers_option
from unbraid.cli.options.destination import token_file_option, token_of
from unbraid.cli.options.otlp import otlp_options, traces_of
from unbraid.cli.options.redaction import redact_option
from unbraid.system.process import raise_descriptor_limit

if TYPE_CHECKING:
    from unbraid.cli.output.session_table import SessionTable
    from unbraid.machine import Machine
    from unbraid.send.delivery import Destination, LogDelivery
    from unbraid.serve import Server


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
    if servers:
        from unbraid.log.remote.ingest import checked_url

        servers = tuple(map(checked_url, servers))
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
    # Every live session with hooks has a socket.
    raise_descriptor_limit()
    asyncio.run(
        _watch(
            port,
            servers,
            page=page,
            keep=keep,
            to=destination,
            since_ms=since_ms,
            log=log,
            redact=redact,
            opens=opens,
            otlp=otlp,
            otlp_content=otlp_content,
        )
    )


async def _watch(
    port: int,
    servers: tuple[str, ...],
    *,
    page: bool,
    keep: bool,
    to: Destination | None,
    since_ms: int | None,
    log: str | None,
    redact: bool,
    opens: bool,
    otlp: str | None,
    otlp_content: bool,
) -> None:
    from unbraid.agents.registry import plugin_problems
    from unbraid.cli.output.session_table import SessionTable
    from unbraid.machine import Machine

    until, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, until.set)
    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(
            Machine(log, redact=redact, servers=servers, even_away=True)
        )
        overview = SessionTable(machine.sessions)
        machine.warn = overview.say
        for name, problem in plugin_problems().items():
            overview.say(f"the plugin {name} cannot be used: {problem}")
        traces = traces_of(otlp, overview.say, content=otlp_content)
        if traces is not None:
            await stack.enter_async_context(traces.following(machine.log))
        await stack.enter_async_context(machine.listing(overview.add, while_reading=overview))
        # Whatever begins now would slow down the reading of what a person sees first.
        await overview.filled()
        delivery = None
        if to is not None:
            delivery = await stack.enter_async_context(machine.sending(to, since_ms=since_ms))
        if page:
            served = _served(
                machine, overview, port=port, redact=redact, opens=opens, delivery=delivery
            )
            await stack.enter_async_context(served)
        if keep:
            await stack.enter_async_context(machine.session_import())
        await stack.enter_async_context(machine.alerting(overview.alert))
        await machine.watch(until)


def _served(
    machine: Machine,
    overview: SessionTable,
    *,
    port: int,
    redact: bool,
    opens: bool,
    delivery: LogDelivery | None,
) -> AbstractAsyncContextManager[Server]:
    """Returns the server of the page, to be entered."""
    from unbraid.cli.output.page import page
    from unbraid.orchestrate.orchestrator import orchestrator_factory

    return page(
        machine.log,
        machine.controllers,
        port=port,
        # Two that follow this machine would be one too many.
        port_required=True,
        opens=opens,
        redact=redact,
        home=machine.home,
        stored_sessions=machine.sessions,
        orchestrating=orchestrator_factory(machine.env),
        alerts=machine.page_alerts,
        delivery=None if delivery is None else lambda: delivery.status,
        say=overview.say,
        show_address=overview.show_address,
    )
