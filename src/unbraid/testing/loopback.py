"""Just enough HTTP/1.1 for a server and a client on loopback; h11 and httpx know the protocol.

A web framework would hide the two things that a scripted model needs: to write a chunk when it is
time, and to drop the connection in the middle of one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import h11
import httpx

_READ_BYTES = 65536


class Hangup(Exception):
    """The other side is gone."""


class Exchange:
    """A connection's current request, and the means to answer it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._state = h11.Connection(h11.SERVER)
        self.method, self.path, self.body = "", "", b""

    async def next_request(self) -> bool:
        """Reads the next request. Returns whether there is one."""
        if self._state.our_state is h11.DONE and self._state.their_state is h11.DONE:
            self._state.start_next_cycle()
        elif self._state.our_state is not h11.IDLE:
            return False
        request, self.body = await self._receive(), b""
        if not isinstance(request, h11.Request):
            return False
        while isinstance(part := await self._receive(), h11.Data):
            self.body += part.data
        self.method, self.path = request.method.decode(), urlsplit(request.target.decode()).path
        return True

    async def answer(self, status: int, body: bytes) -> None:
        """Sends a whole JSON answer."""
        await self.begin(status, {"content-type": "application/json"})
        await self.write(body)
        await self.end()

    async def begin(self, status: int, headers: dict[str, str]) -> None:
        """Sends the head of an answer whose body follows in chunks."""
        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self._send(h11.Response(status_code=status, headers=fields))

    async def write(self, chunk: bytes) -> None:
        """Sends one chunk; it is handed to the network before this returns."""
        await self._send(h11.Data(data=chunk))

    async def end(self) -> None:
        """Ends the answer."""
        await self._send(h11.EndOfMessage())

    def cut(self) -> None:
        """Drops the connection, whatever was said."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """Closes the connection in good order."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _receive(self) -> object:
        while (event := self._state.next_event()) is h11.NEED_DATA:
            if self._state.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            try:
                self._state.receive_data(await self._reader.read(_READ_BYTES))
            except OSError as error:
                raise Hangup from error
        return event

    async def _send(self, event: h11.Event) -> None:
        data = self._state.send(event)
        if data:
            try:
                self._writer.write(data)
                await self._writer.drain()
            except OSError as error:
                raise Hangup from error


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
    async def handle(self, exchange: Exchange) -> None:
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
        task, exchange = asyncio.current_task(), Exchange(reader, writer)
        assert task is not None
        self._connections.add(task)
        try:
            while await exchange.next_request():
                await self.handle(exchange)
        except (Hangup, h11.ProtocolError):
            pass
        except asyncio.CancelledError:
            pass  # the server is closing; asyncio would report a cancelled handler as an error
        finally:
            await exchange.close()
            self._connections.discard(task)


@dataclass
class Answer:
    """What a server answered."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Returns the body, decoded."""
        return json.loads(self.body)


async def fetch(method: str, url: str, value: Any = None) -> Answer:
    """Sends one request, and returns its whole answer."""
    answer = Answer(0, b"")
    async for status, chunk in stream(method, url, value):
        answer = Answer(status, answer.body + chunk)
    return answer


async def stream(method: str, url: str, value: Any = None) -> AsyncIterator[tuple[int, bytes]]:
    """One request, its answer as it arrives: the status (first with no bytes), and each chunk."""
    try:
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False, verify=False) as client,
            client.stream(method, url, json=value) as response,
        ):
            yield response.status_code, b""
            async for chunk in response.aiter_raw():
                yield response.status_code, chunk
    except httpx.TransportError as error:
        raise Hangup from error
