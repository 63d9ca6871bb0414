"""Requests between the processes of one machine: one socket each, one line each way.

The sockets are in our own folder, which no other user may enter. A socket without a listener
belonged to a process that is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from unbraid.errors import CallerError
from unbraid.system.home import make_private_folder
from unbraid.system.tasks import end_task
from unbraid.timings import MACHINE_REQUEST_TIMEOUT_SECONDS

# Every process that records a run is asked what it can steer; one may be stuck.
STEERING_ANSWER_TIMEOUT_SECONDS = 5.0

FOLDER = "control"
LIMIT = 16 << 20
LAST_REPLY_SECONDS = 0.5
# The shortest limit there is (macOS has it).
MAX_ADDRESS_BYTES = 104


class SocketChannel:
    """The processes that listen in a folder of ours (the same methods as `MachineRequests`)."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    async def ask_all(self, question: bytes) -> dict[str, bytes]:
        """Returns the answers of all processes, by address."""
        paths = sorted(self._folder.glob("*.sock"))
        seconds = STEERING_ANSWER_TIMEOUT_SECONDS
        answers = await asyncio.gather(*(_exchange(path, question, seconds) for path in paths))
        return {str(path): got for path, got in zip(paths, answers, strict=True) if got}

    async def ask(self, address: str, question: bytes) -> bytes:
        """Returns what one answers. Raises CallerError if it is gone, or says nothing."""
        answer = await _exchange(Path(address), question, MACHINE_REQUEST_TIMEOUT_SECONDS)
        if answer is None:
            problem = f"no answer within {MACHINE_REQUEST_TIMEOUT_SECONDS:.0f} seconds"
            raise CallerError(f"{problem}; it may have been carried out")
        if not answer:
            raise CallerError("the process that held this request has ended")
        return answer

    @contextlib.asynccontextmanager
    async def answering(self, answer: Callable[[bytes], Awaitable[bytes]]) -> AsyncIterator[None]:
        """Answers questions while the block runs; none, if there is nowhere to listen."""
        tasks: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                writer.write(await answer(await reader.readline()) + b"\n")
                await writer.drain()
            except (OSError, ValueError):
                pass  # the caller is gone, or none of ours
            finally:
                writer.close()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(serve(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        with contextlib.ExitStack() as stack:
            try:
                address = listening_address(self._own_path(), stack)
                server = await asyncio.start_unix_server(accept, address, limit=LIMIT)
            except OSError:
                yield
                return
            try:
                async with server:
                    yield
            finally:
                if tasks:
                    # Who has ended the run by a request is still to hear that it was carried out.
                    await asyncio.wait(tasks, timeout=LAST_REPLY_SECONDS)
                await asyncio.gather(*map(end_task, list(tasks)))

    def _own_path(self) -> Path:
        """Returns a path of this process at which nobody listens."""
        for number in count():
            path = self._folder / f"{os.getpid()}{f'.{number}' if number else ''}.sock"
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(os.fspath(connecting_address(path)))
                continue
            return path
        raise AssertionError("counting does not end")


async def _exchange(path: Path, question: bytes, seconds: float) -> bytes | None:
    """Returns what a process answers; nothing if it is gone, None if it says nothing in time."""
    try:
        async with asyncio.timeout(seconds):
            address = connecting_address(path)
            reader, writer = await asyncio.open_unix_connection(address, limit=LIMIT)
            try:
                writer.write(question + b"\n")
                await writer.drain()
                return (await reader.readline()).rstrip(b"\n")
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except TimeoutError:
        return None
    except (OSError, ValueError):
        return b""


def listening_address(path: Path, stack: contextlib.ExitStack) -> Path:
    """Returns where to listen: at the path, or where a link at the path leads if that is
    too long.
    """
    make_private_folder(path.parent)
    path.unlink(missing_ok=True)
    stack.callback(path.unlink, missing_ok=True)
    if len(os.fsencode(path)) < MAX_ADDRESS_BYTES:
        return path
    short = Path(stack.enter_context(TemporaryDirectory(prefix="unbraid-"))) / "s"
    path.symlink_to(short)
    return short


def connecting_address(path: Path) -> Path:
    """Returns the address at which the process of a path listens."""
    return path.readlink() if path.is_symlink() else path


def peer_process(connected: socket.socket) -> int:
    """Returns the process at the other end of a socket; 0 where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return 0
    pid: int
    pid, _, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, 12))
    return pid
