"""The sockets of a server, and uvicorn on them: one for everyone, and one in a private folder for
the server's owner, who needs no token there.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn

from unbraid.errors import CallerError
from unbraid.log.remote.local_socket import socket_path
from unbraid.serve.config import ServeConfig
from unbraid.serve.connection import Connection
from unbraid.system.process import raise_descriptor_limit
from unbraid.system.sockets import listening_address

BACKLOG = 2048  # connections that wait to be accepted
# The system would buffer megabytes for a viewer that does not read, which were all made in vain.
# What is on its way to one that reads is not limited by this.
UNSENT_BYTES = 1 << 16


def open_listener(config: ServeConfig) -> socket.socket:
    """Returns a socket that listens where the configuration says, or CallerError."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio switches Nagle's delay off only for sockets whose protocol is named; without it every
    # answer waits 40 ms for the other side's acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        listener.bind((config.host, config.port))
        # Not later: until one listens, two servers that start at the same moment get the same port.
        listener.listen(BACKLOG)
        listener.set_inheritable(False)
    except (OSError, TypeError, UnicodeError) as error:  # the last two: of what is no name
        listener.close()
        raise CallerError(f"cannot listen on {config.host}:{config.port}: {error}") from error
    return listener


@asynccontextmanager
async def listening(config: ServeConfig, listener: socket.socket, app: Any) -> AsyncIterator[None]:
    """Lets an application answer on a listener while the block runs, and on the owner's socket."""
    try:
        settings = _uvicorn(config, app)
        settings.load()
    except (OSError, ssl.SSLError) as error:
        listener.close()
        raise CallerError(f"the TLS certificate or its key cannot be used: {error}") from error
    runner, loop = uvicorn.Server(settings), asyncio.get_running_loop()
    connections, burst = _room(raise_descriptor_limit())
    limits = replace(config.limits, connections=min(connections, config.limits.connections))
    runner.lifespan = settings.lifespan_class(settings)

    def connection() -> Connection:
        return Connection(limits, config=settings, server_state=runner.server_state, app_state={})

    with ExitStack() as stack:
        # Not `Server.serve`: that would take the signals, which are the caller's.
        seconds = config.limits.header_seconds if settings.ssl else None
        runner.servers = [
            await loop.create_server(
                connection,
                sock=listener,
                ssl=settings.ssl,
                ssl_handshake_timeout=seconds,
                backlog=burst,
            )
        ]
        # asyncio's backlog is also how many it accepts at once; that of the system may be longer.
        listener.listen(BACKLOG)
        private = _private_listener(config, listener, stack)
        if private is not None:
            runner.servers.append(await loop.create_unix_server(connection, sock=private))
        try:
            yield
        finally:
            # asyncio loses a connection that was accepted just before its server is closed.
            for each in (socket for server in runner.servers for socket in server.sockets):
                loop.remove_reader(each.fileno())
            await asyncio.sleep(0)
            await runner.shutdown([listener])
            # Accepted at the last moment, or stuck: nothing else would ever close them.
            for left in list(runner.server_state.connections):
                left.transport.abort()
            await asyncio.sleep(0)


def _room(descriptors: int) -> tuple[int, int]:
    """Returns how many connections fit into a limit on open files, and how many more may be
    accepted before they are counted: the log, and files of agents, must always find room, too.
    """
    spare = max(64, min(1024, descriptors // 4))
    return max(1, descriptors - spare), max(1, min(128, spare // 4))


def _private_listener(
    config: ServeConfig, listener: socket.socket, stack: ExitStack
) -> socket.socket | None:
    if config.home is None or not hasattr(socket, "AF_UNIX"):
        return None
    private = socket.socket(socket.AF_UNIX)
    try:
        address = listening_address(socket_path(config.home, listener.getsockname()[1]), stack)
        # The folder may be older than this program, or made with a careless umask.
        address.parent.chmod(0o700)
        private.bind(os.fspath(address))
        address.chmod(0o600)
        private.listen()
    except OSError:
        private.close()  # the owner uses a token, then
        return None
    return private


def _uvicorn(config: ServeConfig, app: Any) -> uvicorn.Config:
    http: Any = partial(Connection, config.limits)
    return uvicorn.Config(
        app,
        http=http,
        ws="none",
        lifespan="off",
        # Addresses may hold a link's code, and errors an agent's words: neither belongs in a log
        # file.
        access_log=False,
        log_config=None,
        # It warns of every invalid request, and anyone may send those.
        log_level="error",
        backlog=BACKLOG,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ssl_certfile=config.tls_cert,
        ssl_keyfile=config.tls_key,
        timeout_graceful_shutdown=int(config.limits.shutdown_seconds) or 1,
    )
