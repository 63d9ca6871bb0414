"""The sockets of a server, and uvicorn on them: one for everyone, and one in a private folder for
the server's owner, who needs no token there. Their connections cannot be used to starve the server:
uvicorn's protocol with deadlines and bounds.

uvicorn leaves these to a proxy in front; this server often has none. Against slow-loris: the whole
header must come within a time, a body must keep coming and not drip. Against bloat: a bound on the
header, on everything around a body that is not body (chunk sizes, chunk extensions, trailers), on
requests that are sent before others are answered, and on connections. For viewers: news of a lost
connection without a second task, and a last frame for one whose socket is stuck.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from unbraid.errors import CallerError
from unbraid.log.remote.local_socket import socket_path
from unbraid.serve.problems import problem_response
from unbraid.serve.services import ServeConfig, ServeLimits
from unbraid.system.process import raise_descriptor_limit
from unbraid.system.sockets import listening_address

# A viewer that did not read gets its `cut` event if it reads within this: it holds memory.
CUT_READ_TIMEOUT_SECONDS = 120.0
# A connection that does not take the last bytes is cut.
HANG_UP_TIMEOUT_SECONDS = 5.0

EXTENSION = "unbraid.connection"
# Sends a body past the middleware, which has to do with the head alone.
BODY_EXTENSION = "unbraid.body"
# A chunk of one byte has five bytes around it.
FRAME_BYTES_PER_BODY_BYTE = 8
UNREAD_BYTES = 1 << 16


class Connection(HttpToolsProtocol):
    """One connection, guarded."""

    def __init__(
        self,
        limits: ServeLimits,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.on_lost: Callable[[], None] | None = None
        self._limits = limits
        self._head_bytes = 0
        self._in_head = True
        self._frame_bytes = 0  # since the header: what came, less what was body
        self._body_since, self._body_bytes = 0.0, 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuses connections above the limit. All others must send their header within some
        seconds.
        """
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            self._refuse(503, "too many connections")
        else:
            self._expect(self._limits.header_seconds)

    @property
    def private(self) -> bool:
        """Whether it came by the socket in a folder that only the server's owner can enter."""
        peer = self.transport.get_extra_info("socket")
        return peer is not None and peer.family == getattr(socket, "AF_UNIX", None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Reports the loss to the stream that writes to this connection."""
        self._expect(None)
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Counts the bytes that come before the end of a header."""
        if self.transport.is_closing():
            return
        if not self._in_head:
            self._frame_bytes += len(data)
        else:
            if self._head_bytes == 0 and self._deadline is None:
                self._expect(self._limits.header_seconds)
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self._limits.header_bytes:
            self._refuse(431, "the header is too large")
        allowed = self._limits.header_bytes + FRAME_BYTES_PER_BODY_BYTE * self._body_bytes
        if not self._in_head and self._frame_bytes > allowed:
            # Nothing of it is of use to anyone, and llhttp holds the one that it is at.
            self._refuse(431, "too much around the body: chunk extensions, or trailers")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Notes a header field; trailers, which come after the body, are ignored."""
        if self._in_head:
            super().on_header(name, value)

    def on_message_begin(self) -> None:
        """Begins a request; the connection can be reached from it."""
        super().on_message_begin()
        extensions: Any = {EXTENSION: self}
        self.scope["extensions"] = extensions

    def on_headers_complete(self) -> None:
        """Checks a complete header; what it asks for can still be too long."""
        if self.transport.is_closing():
            return
        if len(self.pipeline) >= self._limits.pipelined:
            self._refuse(503, "too many requests before the first is answered")
            return
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self._limits.header_bytes:
            self._refuse(431, "the header is too large")
            return
        self._in_head, self._head_bytes = False, 0
        self._body_since, self._body_bytes, self._frame_bytes = self.loop.time(), 0, 0
        self._expect(self._limits.body_seconds)
        super().on_headers_complete()
        if self.cycle is not None and self.cycle.scope is self.scope:
            extensions: Any = self.scope["extensions"]
            extensions[BODY_EXTENSION] = self.cycle.send

    def on_body(self, body: bytes) -> None:
        """Gives a body that keeps coming more time, but not one that comes a byte at a time."""
        if self.cycle is not None and not self.transport.is_closing():
            self._body_bytes += len(body)
            self._frame_bytes -= len(body)
            earned = self._body_bytes / self._limits.body_bytes_per_second
            late = self.loop.time() - self._body_since - earned
            self._expect(max(0.0, self._limits.body_seconds - max(0.0, late)))
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Ends a request; the next one may begin."""
        self._expect(None)
        self._in_head = True
        if self.cycle is not None and not self.transport.is_closing():
            super().on_message_complete()

    def hang_up(self, last: bytes) -> None:
        """Writes a last chunk even if the socket is stuck, and closes the connection; by force
        after some minutes.
        """
        if self.cycle is not None and not self.transport.is_closing():
            self.cycle.response_complete = True
            framed = b"%x\r\n%b\r\n0\r\n\r\n" % (len(last), last) if last else b"0\r\n\r\n"
            self.transport.write(framed)
            self.transport.close()
            self.loop.call_later(CUT_READ_TIMEOUT_SECONDS, self.transport.abort)

    def _expect(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        self._deadline = None
        if self.cycle is None or self.cycle.response_complete:
            self._refuse(408, "too slow")
        else:
            # An answer may be under way; only the end of the connection is still clear.
            self.transport.abort()

    def _refuse(self, status: int, message: str) -> None:
        if not self.transport.is_closing():
            answer = problem_response(status, message)
            fields = [b"%b: %b\r\n" % pair for pair in answer.raw_headers]
            head = [STATUS_LINE[status], *fields, b"connection: close\r\n\r\n"]
            self.transport.write(b"".join([*head, bytes(answer.body)]))
            self._discard_unread()
            self.transport.close()
            self.loop.call_later(HANG_UP_TIMEOUT_SECONDS, self.transport.abort)

    def _discard_unread(self) -> None:
        # The system resets a connection that is closed with bytes unread, and the answer is lost.
        peer = self.transport.get_extra_info("socket")
        if peer is not None and self.transport.get_extra_info("sslcontext") is None:
            with contextlib.suppress(OSError):
                os.read(peer.fileno(), UNREAD_BYTES)


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
