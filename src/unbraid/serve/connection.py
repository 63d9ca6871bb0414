"""Connections that cannot be used to starve the server: uvicorn's protocol with deadlines and
bounds.

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
from collections.abc import Callable
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from unbraid.serve.config import ServeLimits
from unbraid.serve.problems import problem_response

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
