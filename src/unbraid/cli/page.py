"""The server inside a command that does something else."""

from __future__ import annotations

import asyncio
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from unbraid.cli.output import warn
from unbraid.errors import CallerError
from unbraid.machine import Machine
from unbraid.serve import ServeConfig, Server, TokenFile

# At the end of a command, viewers get this long to be given the last events.
PAGE_SETTLE_TIMEOUT_SECONDS = 1.0
# A server at this port answers at once, or is no unbraid of this machine.
PORT_CHECK_TIMEOUT_SECONDS = 1.0


@asynccontextmanager
async def page(
    machine: Machine,
    *,
    port: int,
    port_required: bool = False,
    home: Path | None = None,
    opens: bool = False,
    say: Callable[[str], None] = warn,
    show_address: Callable[[str], None] | None = None,
    **parts: Any,
) -> AsyncIterator[Server]:
    """Serves a machine's log while the block runs, and prints the address; viewers get its last
    events, too. `parts` are those of `Machine.serving`.

    If the port is taken, any other will do, unless that port is required; whether another unbraid
    has it is said in both cases. With `opens`, a browser is shown the page. Tokens, and the socket
    for other commands, are in the folder `home`; without one, the printed link is the only way in.
    """
    tokens = None if home is None else TokenFile(home / TokenFile.NAME)
    async with AsyncExitStack() as stack:

        async def serve(port: int) -> Server:
            config = ServeConfig(port=port, redact=machine.redact, token_file=tokens, home=home)
            return await stack.enter_async_context(machine.serving(config, **parts))

        try:
            server = await serve(port)
        except CallerError as error:
            taken = await asyncio.to_thread(_taken_by, port)
            if port_required:
                words = f"{taken}; `unbraid watch --port 0` uses any free port" if taken else error
                raise CallerError(str(words)) from error
            server = await serve(0)
            say(f"another port is used: {taken or error}")
        (show_address or say)(server.link())
        if opens:
            # In a thread: a browser that runs in the terminal keeps its caller waiting.
            threading.Thread(target=webbrowser.open, args=(server.link(),), daemon=True).start()
        try:
            yield server
        finally:
            await server.services.hub.settled(PAGE_SETTLE_TIMEOUT_SECONDS)


def _taken_by(port: int) -> str:
    """Returns which unbraid has a port of this machine; nothing if it is another program."""
    import httpx

    from unbraid.system.http import HTTP_ERRORS, client_options

    url = f"http://127.0.0.1:{port}"
    # A browser that is not signed in is shown the page to sign in, which has our name.
    browser = {"accept": "text/html"}
    try:
        with (
            httpx.Client(timeout=PORT_CHECK_TIMEOUT_SECONDS, **client_options(url)) as client,
            client.stream("GET", url, headers=browser) as answer,
        ):
            ours = b"unbraid" in next(answer.iter_bytes(65536), b"")
    except HTTP_ERRORS:
        return ""
    return f"another unbraid serves its page at 127.0.0.1:{port}" if ours else ""
