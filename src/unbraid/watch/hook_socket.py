"""The socket that hooks in CLIs call: HTTP, as `curl` speaks it, one request per connection.

It is in our private folder, and nobody but its owner can reach it. An agent runs as its owner, and
can: it may ask, and wait for what is sent to its session; nothing here answers a request. Of all
processes of ours that watch, one listens; when it is gone, another takes its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import h11

from unbraid.agents.hook_port import SOCKET_NAME, HookCall, HookedWatch
from unbraid.control.sockets import listening_address
from unbraid.system.home import make_private_folder
from unbraid.timings import HOOK_SOCKET_RETRY_SECONDS
from unbraid.wire.record import BAD_JSON

MAX_BODY_BYTES = 16 << 20
MAX_CALLS = 256
READ_BYTES = 1 << 16


class HookSocket:
    """Lets watches answer the hooks of their kinds."""

    def __init__(self, folder: Path, watches: Mapping[str, HookedWatch]) -> None:
        self._folder, self._watches = folder, watches
        self._calls = 0
        self.is_others = False  # another process of ours listens

    async def run(self) -> None:
        """Listens until cancelled, as soon as no other process does."""
        while True:
            with _locked(self._folder) as is_ours:
                self.is_others = not is_ours
                if is_ours:
                    async with self._listening():
                        await asyncio.get_running_loop().create_future()
            await asyncio.sleep(HOOK_SOCKET_RETRY_SECONDS)

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._serve(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        with ExitStack() as stack:
            address = listening_address(self._folder / SOCKET_NAME, stack)
            server = await asyncio.start_unix_server(accept, address)
            address.chmod(0o600)
            try:
                yield
            finally:
                # First the name, so that no hook begins to call; then those that are held.
                stack.close()
                server.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._calls += 1
        try:
            if self._calls <= MAX_CALLS:
                await self._answer(reader, writer)
        except (OSError, h11.ProtocolError):
            pass  # the caller is gone, or no hook of ours
        finally:
            self._calls -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        call = await _call(connection, reader)
        status, body = 404, b""
        if call is not None and (watch := self._watches.get(call[0])) is not None:
            status, body = await self._hooked(watch, call[1], reader)
        head = h11.Response(
            status_code=status,
            headers=[("Content-Length", str(len(body))), ("Connection", "close")],
        )
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        await writer.drain()

    async def _hooked(
        self, watch: HookedWatch, call: HookCall, reader: asyncio.StreamReader
    ) -> tuple[int, bytes]:
        answering = asyncio.ensure_future(watch.hooked(call))
        # A caller says nothing more: what comes is its end.
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise ConnectionResetError("the hook is gone")
            return 200, answering.result()
        except BAD_JSON:
            return 400, b""
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)


async def _call(
    connection: h11.Connection, reader: asyncio.StreamReader
) -> tuple[str, HookCall] | None:
    """Returns whom a request is for, and what it says; None if it is too large."""
    head: h11.Request | None = None
    body = bytearray()
    while True:
        match connection.next_event():
            case h11.NEED_DATA:
                connection.receive_data(await reader.read(READ_BYTES))
            case h11.Request() as head:
                pass
            case h11.Data(data=data):
                body += data
                if len(body) > MAX_BODY_BYTES:
                    return None
            case h11.EndOfMessage() if head is not None:
                break
            case _:
                raise ConnectionResetError("the hook is gone")
    fields = {bytes(name): bytes(value) for name, value in head.headers}
    process = fields.get(b"process", b"").decode("latin-1")
    kind, _, what = bytes(head.target).decode("latin-1").strip("/").partition("/")
    return kind, HookCall(
        what=what,
        body=bytes(body),
        entrypoint=fields.get(b"entrypoint", b"").decode("latin-1"),
        process=int(process) if process.isdecimal() and len(process) < 12 else 0,
    )


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Says whether the folder is ours to listen in while the block runs."""
    try:
        make_private_folder(folder)
        folder.chmod(0o700)
        number = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    try:
        locked = False
        with contextlib.suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        yield locked
    finally:
        os.close(number)
