"""Just enough HTTP/1.1 over asyncio for a server and a client on loopback; h11 knows the protocol.

A web framework would hide the two things that a scripted model needs: to write a chunk when it is
time, and to drop the connection in the middle of one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import h11

_READ_BYTES = 65536


class Hangup(Exception):
    """The other side is gone."""


class Exchange:
    """One request, and the means to answer it."""

    def __init__(self, wire: Wire, method: str, target: str, body: bytes) -> None:
        self._wire = wire
        self.method, self.path, self.body = method, urlsplit(target).path, body

    async def answer(self, status: int, body: bytes) -> None:
        """Sends a whole JSON answer."""
        await self.begin(status, {"content-type": "application/json"})
        await self.write(body)
        await self.end()

    async def begin(self, status: int, headers: dict[str, str]) -> None:
        """Sends the head of an answer whose body follows in chunks."""
        import h11

        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self._wire.send(h11.Response(status_code=status, headers=fields))

    async def write(self, chunk: bytes) -> None:
        """Sends one chunk; it is handed to the network before this returns."""
        import h11

        await self._wire.send(h11.Data(data=chunk))

    async def end(self) -> None:
        """Ends the answer."""
        import h11

        await self._wire.send(h11.EndOfMessage())

    def cut(self) -> None:
        """Drop the connection, whatever was said."""
        self._wire.abort()


class Wire:
    """One connection: h11's events over a pair of asyncio streams."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, server: bool
    ) -> None:
        import h11

        self._reader, self._writer = reader, writer
        self.state = h11.Connection(h11.SERVER if server else h11.CLIENT)

    async def receive(self) -> object:
        """Returns the next event of the other side."""
        import h11

        while True:
            event = self.state.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self.state.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            try:
                self.state.receive_data(await self._reader.read(_READ_BYTES))
            except OSError as error:
                raise Hangup from error

    async def send(self, event: h11.Event) -> None:
        """Sends one event to the other side."""
        data = self.state.send(event)
        if data:
            try:
                self._writer.write(data)
                await self._writer.drain()
            except OSError as error:
                raise Hangup from error

    def abort(self) -> None:
        """Drop the connection at once."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """Close the connection in good order."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


async def serve(wire: Wire, handle: Callable[[Exchange], Awaitable[None]]) -> None:
    """Answer the requests of one connection until either side ends it."""
    import h11

    try:
        while True:
            request, body = await wire.receive(), b""
            if not isinstance(request, h11.Request):
                return
            while isinstance(part := await wire.receive(), h11.Data):
                body += part.data
            method, target = request.method.decode(), request.target.decode()
            await handle(Exchange(wire, method, target, body=body))
            if wire.state.our_state is not h11.DONE or wire.state.their_state is not h11.DONE:
                return
            wire.state.start_next_cycle()
    except (Hangup, h11.ProtocolError):
        return
    finally:
        await wire.close()


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
    import h11

    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    wire = Wire(reader, writer, server=False)
    try:
        body = b"" if value is None else json.dumps(value).encode()
        target = address.path + (f"?{address.query}" if address.query else "")
        headers = [("host", address.netloc), ("content-length", str(len(body)))]
        if value is not None:
            headers.append(("content-type", "application/json"))
        await wire.send(h11.Request(method=method, target=target, headers=headers))
        await wire.send(h11.Data(data=body))
        await wire.send(h11.EndOfMessage())
        status = 0
        while not isinstance(event := await wire.receive(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                status = event.status_code
                yield status, b""
            elif isinstance(event, h11.Data):
                yield status, bytes(event.data)
            elif isinstance(event, h11.ConnectionClosed):
                raise Hangup
    except h11.RemoteProtocolError as error:
        raise Hangup from error
    finally:
        await wire.close()
