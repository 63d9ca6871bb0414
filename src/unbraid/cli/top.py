"""`unbraid top`: the full-screen view."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import complete_run, redact_option, servers_option, token_option
from unbraid.system.tasks import beside

if TYPE_CHECKING:
    from unbraid.log import Log

# A view of the log looks this often whether it is still there: no event would say so.
LOG_REPLACED_CHECK_SECONDS = 1.0


@click.command(
    short_help="Show every agent on this machine, live, in the terminal.",
    epilog="""\b
Examples:
  unbraid top
  unbraid top 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid top --redact
  unbraid top --opencode http://127.0.0.1:4096
  UNBRAID_TOKEN=… unbraid top --url https://agents.example.org""",
)
@click.argument("run", required=False, shell_complete=complete_run)
@servers_option
@click.option("--watch/--no-watch", default=True, help="Also record this machine's agents.")
@click.option("--url", metavar="URL", help="Show the log of this server instead.")
@token_option
@redact_option
def top(
    run: str | None,
    servers: tuple[str, ...],
    watch: bool,
    url: str | None,
    token: str | None,
    redact: bool,
) -> None:
    """Show every agent on this machine, live, in the terminal. With RUN, open that run.

    There are three levels: runs, the agents of a run, and the conversation of an agent. Press `?`
    for the keys; the mouse works too. While it is open, this machine's agents are also recorded, as
    by `unbraid watch`, unless another unbraid is already doing so.

    With --url, shows the log of a server instead. What you can do there depends on the token, and
    nothing on this machine is recorded.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("`unbraid top` needs a terminal; use `unbraid tail` or `unbraid ps`")
    if url is None:
        asyncio.run(_top(run, servers, watch=watch, redact=redact))
    elif servers:
        raise click.UsageError("--opencode and --url cannot be used together")
    else:
        asyncio.run(_top_of(url, token, run, redact=redact))


async def _top(run: str | None, servers: tuple[str, ...], *, watch: bool, redact: bool) -> None:
    """Shows this machine's log."""
    from unbraid.machine import Machine
    from unbraid.tui.app import Top
    from unbraid.tui.services import ViewServices

    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(Machine(redact=redact, servers=servers))
        if run is not None:
            run = (await machine.open(run)).run
        services = ViewServices(
            machine.log,
            machine.controllers,
            machine.sessions,
            abandoned=machine.abandoned_runs,
            redact=redact,
        )
        app = Top(services, run)
        machine.warn = app.notifier.warn
        await stack.enter_async_context(machine.listing())
        looking = beside(_warn_when_replaced(machine.log, app.notifier.warn))
        await stack.enter_async_context(looking)
        if watch:
            await stack.enter_async_context(machine.watching())
        await stack.enter_async_context(machine.alerting(app.alert))
        await app.run_async()


async def _top_of(url: str, token: str | None, run: str | None, *, redact: bool) -> None:
    """Shows a server's log."""
    from unbraid.log.remote.client import RemoteServer
    from unbraid.log.remote.log import HitRedactor, RemoteLog, RemoteStoredSessions
    from unbraid.steer.controllers import Controllers
    from unbraid.steer.servers import RemoteControllers
    from unbraid.tui.app import Top
    from unbraid.tui.services import ViewServices

    redact_hits: HitRedactor | None = None
    if redact:
        from unbraid.redact.reader import redact_hits
    server = RemoteServer(url, token)
    async with RemoteLog(server) as log:
        if run is not None:
            run = await log.named(run)
        distant = RemoteControllers(server)
        services = ViewServices(
            log,
            Controllers(distant),
            RemoteStoredSessions(log, redact_hits),
            redact=redact,
            open_requests=distant.open_requests,
        )
        await Top(services, run).run_async()


async def _warn_when_replaced(log: Log, warn: Callable[[str], None]) -> None:
    """Warns if the log has been deleted or replaced."""
    while (error := log.replaced()) is None:  # noqa: ASYNC110 - no event reports it
        await asyncio.sleep(LOG_REPLACED_CHECK_SECONDS)
    warn(f"{error}. This view is no longer updated; start `unbraid top` again.")
