"""An HTTP server on a free loopback port, in the running loop or in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from typing import Self

from . import loopback


class LoopbackServer(ABC):
    """Answers each request by `handle`: `async with` in the running loop, `with` in a thread."""

    def __init__(self) -> None:
        self.url = ""
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = asyncio.Event()

    @abstractmethod
    async def handle(self, exchange: loopback.Exchange) -> None:
        """Answer one request."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        # From Python 3.12 on `wait_closed` waits for the connections, which a client may keep open.
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live(ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None and self._loop is not None
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    async def _live(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        async with self:
            ready.set()
            await self._closing.wait()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await loopback.serve(loopback.Wire(reader, writer, server=True), self.handle)
        except asyncio.CancelledError:
            pass  # the server is closing; asyncio would report a cancelled handler as an error
        finally:
            self._connections.discard(task)
