"""`unbraid watch`: every agent on this machine, live."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import click

from unbraid.cli.redaction import redact_option

if TYPE_CHECKING:
    from unbraid.cli.overview import Overview
    from unbraid.sessions.archive import Archive


@click.command(
    epilog="""\b
Examples:
  unbraid
  unbraid --redact
  unbraid watch --port 0
  unbraid watch --no-page"""
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The page's port; 0: any.",
)
@click.option("--page/--no-page", default=True, help="Serve the page, and print its address.")
@click.option(
    "--opencode", "servers", multiple=True, metavar="URL", help="A running server of OpenCode's."
)
@redact_option
def watch(
    port: int = 8420, page: bool = True, servers: tuple[str, ...] = (), redact: bool = False
) -> None:
    """Follow every agent on this machine into the log, and show them on a page.

    Nothing has to be set up: Claude Code's and OpenCode's sessions are found where they lie, and
    nothing is ever written there. Stop with Ctrl-C; the next start goes on from the same place.

    With --redact, API keys and tokens are redacted in the log and on the page, also in sessions of
    the past that are opened there.
    """
    from unbraid.remote.ingest import checked_url

    servers = tuple(map(checked_url, servers))
    asyncio.run(_watch(port, servers, page=page, redact=redact))


async def _watch(port: int, servers: tuple[str, ...], *, page: bool, redact: bool) -> None:
    from unbraid.cli.overview import Overview
    from unbraid.control.controllers import Controllers
    from unbraid.control.processes import Elsewhere
    from unbraid.log import SqliteLog, data_folder
    from unbraid.log.leases import Leases
    from unbraid.sessions.archive import Archive
    from unbraid.watch.watcher import Watcher, watching

    controllers = Controllers(Elsewhere(data_folder()))
    until, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, until.set)
    async with AsyncExitStack() as stack:
        log = await SqliteLog.open()
        stack.push_async_callback(log.close)
        leases = Leases(data_folder())
        stack.callback(leases.close, ended=False)
        archive = Archive(log, os.environ, data_folder(), redact=redact)
        overview = Overview(archive)
        reading = asyncio.create_task(_read(archive, overview))
        stack.push_async_callback(asyncio.wait, [reading])
        stack.push_async_callback(archive.close)
        if page:
            from unbraid.cli.page import page as serve
            from unbraid.orchestrate.service import orchestrating

            served = serve(
                log,
                controllers,
                port=port,
                redact=redact,
                history=archive,
                orchestrating=orchestrating(os.environ),
                say=overview.say,
            )
            await stack.enter_async_context(served)
        observed = Watcher(
            log,
            leases,
            os.environ,
            warn=overview.say,
            servers=servers,
            controllers=controllers,
            redact=redact,
        )
        await watching(observed, until)


async def _read(archive: Archive, overview: Overview) -> None:
    with overview:
        await archive.read(overview.say, overview.add)
