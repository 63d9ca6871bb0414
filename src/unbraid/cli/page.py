"""The server inside a command that does something else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import click

from unbraid.errors import CallerError
from unbraid.hub.control import Controllers
from unbraid.log.port import Log
from unbraid.serve import ServeConfig, Server, serving

SETTLE_SECONDS = 1.0


@asynccontextmanager
async def page(log: Log, controllers: Controllers, *, port: int) -> AsyncIterator[Server]:
    """Serve a log while the block runs, and say where; viewers are given its last events, too."""
    async with AsyncExitStack() as stack:

        async def serve(port: int) -> Server:
            served = serving(ServeConfig(port=port), log, controllers=controllers)
            return await stack.enter_async_context(served)

        try:
            server = await serve(port)
        except CallerError:
            # The port is taken, perhaps by another of ours: any other will do.
            server = await serve(0)
        click.echo(f"unbraid: {server.link()}", err=True)
        try:
            yield server
        finally:
            await server.services.hub.settled(SETTLE_SECONDS)
