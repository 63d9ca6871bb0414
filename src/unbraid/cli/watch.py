"""`unbraid watch`: every agent on this machine, live."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack

import click

from unbraid.cli.arguments import log_option, port_option
from unbraid.cli.otlp import otlp_options, traces_of
from unbraid.cli.redaction import redact_option


@click.command(
    short_help="Record every agent on this machine, and show them on a page.",
    epilog="""\b
Examples:
  unbraid
  unbraid --redact
  unbraid watch --port 0
  unbraid watch --no-page""",
)
@port_option
@click.option("--page/--no-page", default=True, help="Serve the page, and print its address.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--opencode",
    "servers",
    multiple=True,
    metavar="URL",
    help="A running OpenCode server.",
)
@click.option("--keep", is_flag=True, help="Import every stored session, too.")
@otlp_options
@log_option
@redact_option
def watch(
    port: int = 8420,
    page: bool = True,
    opens: bool = False,
    servers: tuple[str, ...] = (),
    keep: bool = False,
    log: str | None = None,
    redact: bool = False,
    otlp: str | None = None,
    otlp_content: bool = False,
) -> None:
    """Follow every agent on this machine into the log, and show them on a page.

    Nothing has to be set up: the sessions of Claude Code, OpenCode, Codex and Kilo are found where
    they are, and nothing is ever written there. Stop with Ctrl-C; the next start goes on from the
    same place.

    With --keep, all sessions of the past are imported meanwhile, each once, so that they stay when
    the agents' own CLIs delete them.

    With --redact, API keys and tokens are redacted in the log and on the page, also in sessions of
    the past that are opened there.
    """
    from unbraid.remote.ingest import checked_url

    servers = tuple(map(checked_url, servers))
    asyncio.run(
        _watch(
            port,
            servers,
            page=page,
            keep=keep,
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
    log: str | None,
    redact: bool,
    opens: bool,
    otlp: str | None,
    otlp_content: bool,
) -> None:
    from unbraid.agents.registry import plugin_problems
    from unbraid.cli.session_table import SessionTable
    from unbraid.machine import Machine

    until, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, until.set)
    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(Machine(log, redact=redact, servers=servers))
        overview = SessionTable(machine.sessions)
        machine.warn = overview.say
        for name, problem in plugin_problems().items():
            overview.say(f"the plugin {name} cannot be used: {problem}")
        traces = traces_of(otlp, overview.say, content=otlp_content)
        if traces is not None:
            await stack.enter_async_context(traces.following(machine.log))
        await stack.enter_async_context(machine.listing(overview.add, while_reading=overview))
        if page:
            from unbraid.cli.page import page as serve
            from unbraid.orchestrate.service import orchestrator_factory

            served = serve(
                machine.log,
                machine.controllers,
                port=port,
                # Two that follow this machine would be one too many.
                port_required=True,
                opens=opens,
                redact=redact,
                home=machine.home,
                history=machine.sessions,
                orchestrating=orchestrator_factory(machine.env),
                say=overview.say,
            )
            await stack.enter_async_context(served)
        if keep:
            await stack.enter_async_context(machine.keeping())
        await stack.enter_async_context(machine.alerting(overview.alert))
        await machine.watch(until)
