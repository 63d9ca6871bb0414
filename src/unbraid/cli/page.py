"""The server inside a command that does something else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from unbraid.cli.messages import warn
from unbraid.control.controllers import Controllers
from unbraid.errors import CallerError
from unbraid.log.port import Log
from unbraid.serve import ServeConfig, Server, serving
from unbraid.serve.access.tokens import FILE_NAME, TokenFile
from unbraid.serve.server import Orchestrating
from unbraid.serve.services import History
from unbraid.timings import PAGE_SETTLE_TIMEOUT_SECONDS


@asynccontextmanager
async def page(
    log: Log,
    controllers: Controllers,
    *,
    port: int,
    port_required: bool = False,
    redact: bool = False,
    home: Path | None = None,
    history: History | None = None,
    orchestrating: Orchestrating | None = None,
    say: Callable[[str], None] = warn,
) -> AsyncIterator[Server]:
    """Serves a log while the block runs, and prints the address; viewers get its last events, too.
    If the port is taken, any other will do, unless that port is required. Tokens, and the socket
    for other commands, are in the folder `home`; without one, the printed link is the only way in.
    """
    tokens = None if home is None else TokenFile(home / FILE_NAME)
    async with AsyncExitStack() as stack:

        async def serve(port: int) -> Server:
            config = ServeConfig(port=port, redact=redact, token_file=tokens, home=home)
            served = serving(
                config,
                log,
                controllers=controllers,
                history=history,
                orchestrating=orchestrating,
            )
            return await stack.enter_async_context(served)

        try:
            server = await serve(port)
        except CallerError:
            if port_required:
                raise
            server = await serve(0)
        say(server.link())
        try:
            yield server
        finally:
            await server.services.hub.settled(PAGE_SETTLE_TIMEOUT_SECONDS)
