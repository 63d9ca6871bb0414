"""A viewer's answer: chunks from the hub to the socket, until the run is over or either side closes
the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from starlette.types import Receive, Scope, Send

from unbraid.serve.access.auth import Keys
from unbraid.serve.access.guard import caller_of
from unbraid.serve.connection import BODY_EXTENSION, EXTENSION, Connection
from unbraid.serve.encodings import encoder_for
from unbraid.serve.hub.frames import Form


class StreamedViewer(Protocol):
    """What gives out the chunks of an answer."""

    on_cut: Callable[[], None] | None

    @property
    def sending_since(self) -> float | None:
        """When it gave out the chunk that is being sent; None while it looks for the next."""
        ...

    async def chunk(self) -> bytes | None:
        """Returns the next bytes to send; None when there will be no more."""
        ...

    def farewell(self) -> bytes:
        """Returns the last bytes for a viewer that was cut off."""
        ...

    def cut(self, reason: str) -> None:
        """Cuts the viewer off: it gets nothing more."""
        ...


class EventStream:
    """An ASGI answer that streams a viewer's chunks."""

    def __init__(
        self,
        watching: AbstractAsyncContextManager[StreamedViewer],
        form: Form,
        encoding: str | None,
        headers: Mapping[str, str] | None = None,
        *,
        keys: Keys,
    ) -> None:
        self._watching, self._form, self._keys = watching, form, keys
        self._encoding = encoding
        self._more = headers or {}
        self._encoder = None if encoding is None else encoder_for(encoding)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streams until the end."""
        extensions = scope.get("extensions", {})
        connection: Connection | None = extensions.get(EXTENSION)
        async with self._watching as viewer, self._while_let_in(scope, viewer):
            await send({"type": "http.response.start", "status": 200, "headers": self._headers()})
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            # Each middleware would cost a little for every chunk of every viewer.
            send = extensions.get(BODY_EXTENSION, send)
            try:
                async with asyncio.timeout(None) as deadline, _lost(connection, receive, deadline):
                    viewer.on_cut = lambda: _stop(viewer, deadline)
                    while (chunk := await viewer.chunk()) is not None:
                        await send(_body(self._encode(chunk)))
                    viewer.on_cut = None
                    last = self._end(viewer.farewell())
                    await send({"type": "http.response.body", "body": last, "more_body": False})
            except TimeoutError:
                # Cut off while its socket was stuck (there is a farewell), or gone (there is no
                # connection).
                if connection is not None:
                    connection.hang_up(self._end(viewer.farewell()))

    @asynccontextmanager
    async def _while_let_in(self, scope: Scope, viewer: StreamedViewer) -> AsyncIterator[None]:
        caller = caller_of(scope)
        assert caller is not None
        with self._keys.while_valid(caller, lambda: viewer.cut("signed_out")):
            yield

    def _encode(self, chunk: bytes) -> bytes:
        return chunk if self._encoder is None else self._encoder.chunk(chunk)

    def _end(self, last: bytes) -> bytes:
        return last if self._encoder is None else self._encoder.end(last)

    def _headers(self) -> list[tuple[bytes, bytes]]:
        headers = [
            (b"content-type", self._form.value.encode()),
            (b"cache-control", b"no-store"),
            (b"vary", b"accept, accept-encoding"),
            # nginx in front would hold the stream back until its buffer is full.
            (b"x-accel-buffering", b"no"),
        ]
        headers += [(name.encode(), value.encode()) for name, value in self._more.items()]
        if self._encoding is not None:
            headers.append((b"content-encoding", self._encoding.encode()))
        return headers


def _body(chunk: bytes) -> dict[str, object]:
    return {"type": "http.response.body", "body": chunk, "more_body": True}


def _stop(viewer: StreamedViewer, deadline: asyncio.Timeout) -> None:
    # One that only waits will see by itself that it is cut off, and can be ended in good order.
    if viewer.sending_since is not None:
        _expire(deadline)


def _expire(deadline: asyncio.Timeout) -> None:
    # Lost and cut off at the same moment: the second to come finds it expired.
    if not deadline.expired():
        deadline.reschedule(0)


@asynccontextmanager
async def _lost(
    connection: Connection | None, receive: Receive, deadline: asyncio.Timeout
) -> AsyncIterator[None]:
    """Ends the stream when the viewer goes away."""
    if connection is not None:
        connection.on_lost = lambda: _expire(deadline)
        try:
            yield
        finally:
            connection.on_lost = None
        return

    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        _expire(deadline)

    task = asyncio.create_task(until_gone())
    try:
        yield
    finally:
        task.cancel()
