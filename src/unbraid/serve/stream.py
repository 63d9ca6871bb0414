"""A viewer's answer: chunks from the hub to the socket, until the run is over or either side closes
the connection; compressed for viewers that ask, every chunk flushed, so nothing waits for the next.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.types import Receive, Scope, Send

from unbraid.serve.access import Keys
from unbraid.serve.connection import BODY_EXTENSION, EXTENSION, Connection
from unbraid.serve.guard import caller_of, qualities
from unbraid.serve.hub.viewer import Form

if TYPE_CHECKING:
    from unbraid.serve.ag_ui_viewer import AgUiViewer
    from unbraid.serve.hub.viewer import Viewer

# What gives out the chunks of an answer.
StreamedViewer: TypeAlias = "Viewer | AgUiViewer"

# Small windows: a compressor lives as long as its viewer, and there may be thousands. Frames are so
# alike that a window of a few of them does nearly all there is to do: 18 kB a viewer with gzip, 33
# with zstd, for a quarter of the size.
_GZIP_BITS = 16 + 11
_GZIP_MEMORY = 3
_ZSTD_WINDOW_LOG = 10
_ZSTD_TABLE_LOG = 8


class Encoder:
    """Compresses one stream with gzip, or with Zstandard if the `zstandard` package is there."""

    def __init__(self, encoding: str) -> None:
        self._stream: Any
        if encoding == "gzip":
            self._stream = zlib.compressobj(1, zlib.DEFLATED, _GZIP_BITS, _GZIP_MEMORY)
            self._flush = zlib.Z_SYNC_FLUSH
            return
        import zstandard

        parameters = zstandard.ZstdCompressionParameters(
            window_log=_ZSTD_WINDOW_LOG,
            hash_log=_ZSTD_TABLE_LOG,
            chain_log=_ZSTD_TABLE_LOG,
            search_log=1,
            min_match=6,
            strategy=zstandard.STRATEGY_FAST,
        )
        self._stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        self._flush = zstandard.COMPRESSOBJ_FLUSH_BLOCK

    def chunk(self, data: bytes) -> bytes:
        """Returns some more data, compressed, to be sent now."""
        compressed: bytes = self._stream.compress(data) + self._stream.flush(self._flush)
        return compressed

    def end(self, data: bytes) -> bytes:
        """Returns the last bytes."""
        compressed: bytes = self._stream.compress(data) + self._stream.flush()
        return compressed


def encoding_for(accept: str) -> str | None:
    """Returns the encoding to use for an Accept-Encoding header: the best wanted of those there
    are.
    """
    wanted = qualities(accept)
    # Wanted alike, the smaller one comes first.
    have = ["gzip"] if find_spec("zstandard") is None else ["gzip", "zstd"]
    best = max(have, key=lambda name: wanted.get(name, 0.0))
    return best if wanted.get(best, 0.0) > 0 else None


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
        self._encoder = None if encoding is None else Encoder(encoding)

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
