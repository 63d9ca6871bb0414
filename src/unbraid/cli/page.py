"""The server inside a command that does something else."""

from __future__ import annotations

import asyncio
import http.client
import threading
import webbrowser
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
from unbraid.timings import PAGE_SETTLE_TIMEOUT_SECONDS, PORT_CHECK_TIMEOUT_SECONDS


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
    opens: bool = False,
    say: Callable[[str], None] = warn,
) -> AsyncIterator[Server]:
    """Serves a log while the block runs, and prints the address; viewers get its last events, too.
    If the port is taken, any other will do, unless that port is required; whether another unbraid
    has it is said in both cases. With `opens`, a browser is shown the page. Tokens, and the socket
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
        except CallerError as error:
            taken = await asyncio.to_thread(_taken_by, port)
            if port_required:
                words = f"{taken}; `unbraid watch --port 0` takes any other" if taken else error
                raise CallerError(str(words)) from error
            server = await serve(0)
            say(f"another port is used: {taken or error}")
        say(server.link())
        if opens:
            # In a thread: a browser that runs in the terminal keeps its caller waiting.
            threading.Thread(target=webbrowser.open, args=(server.link(),), daemon=True).start()
        try:
            yield server
        finally:
            await server.services.hub.settled(PAGE_SETTLE_TIMEOUT_SECONDS)


def _taken_by(port: int) -> str:
    """Returns which unbraid has a port of this machine; nothing if it is another program."""
    other = http.client.HTTPConnection("127.0.0.1", port, timeout=PORT_CHECK_TIMEOUT_SECONDS)
    try:
        # A browser that is not signed in is shown the page to sign in, which has our name.
        other.request("GET", "/", headers={"accept": "text/html"})
        ours = b"unbraid" in other.getresponse().read(65536)
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        other.close()
    return f"another unbraid serves its page at 127.0.0.1:{port}" if ours else ""
