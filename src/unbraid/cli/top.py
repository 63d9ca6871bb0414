"""`unbraid top`: the full-screen view."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack

import click

from unbraid.cli.redacting import redact_option


@click.command(
    epilog="""\b
Examples:
  unbraid top
  unbraid top 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid top --redact
  unbraid top --opencode http://127.0.0.1:4096"""
)
@click.argument("run", required=False)
@click.option(
    "--opencode", "servers", multiple=True, metavar="URL", help="A running server of OpenCode's."
)
@click.option("--watch/--no-watch", default=True, help="Follow this machine's agents meanwhile.")
@redact_option
def top(run: str | None, servers: tuple[str, ...], watch: bool, redact: bool) -> None:
    """See every agent on this machine, live, on the whole screen; begin with RUN.

    Runs, the agents of one run, what one agent says. `?` tells the keys; the mouse works too. What
    is shown is the log; meanwhile agents are followed into it, as by `unbraid watch`, unless
    another unbraid does that already.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("this needs a terminal; `unbraid tail` and `unbraid ps` do not")
    asyncio.run(_top(run, servers, watch=watch, redact=redact))


async def _top(run: str | None, servers: tuple[str, ...], *, watch: bool, redact: bool) -> None:
    from unbraid.hub.control import Controllers
    from unbraid.live.archive import Archive
    from unbraid.live.claims import Claims
    from unbraid.live.elsewhere import Elsewhere
    from unbraid.live.history import opened
    from unbraid.live.watch import Watch, watching
    from unbraid.log import SqliteLog, data_folder
    from unbraid.tui.app import Top
    from unbraid.tui.desk import Desk

    home = data_folder()
    async with AsyncExitStack() as stack:
        log = await SqliteLog.open()
        stack.push_async_callback(log.close)
        if run is not None:
            run = (await opened(log, run, os.environ, home, redact=redact)).run
        controllers = Controllers(Elsewhere(home))
        archive = Archive(log, os.environ, home, redact=redact)
        app = Top(Desk(log, controllers, archive, redact=redact), run)
        loop = asyncio.get_running_loop()
        reading = asyncio.create_task(archive.read(lambda text: _soon(loop, app.warn, text)))
        stack.push_async_callback(_end, reading)
        stack.push_async_callback(archive.close)
        if watch:
            claims, until = Claims(home), asyncio.Event()
            stack.callback(claims.close)
            observed = Watch(
                log,
                claims,
                os.environ,
                warn=app.warn,
                servers=servers,
                controllers=controllers,
                redact=redact,
            )
            watched = asyncio.create_task(watching(observed, until))
            stack.push_async_callback(_end, watched)
            stack.callback(until.set)
        await app.run_async()


async def _end(task: asyncio.Task[None]) -> None:
    await task


def _soon(loop: asyncio.AbstractEventLoop, warn: Callable[[str], None], text: str) -> None:
    loop.call_soon_threadsafe(warn, text)
