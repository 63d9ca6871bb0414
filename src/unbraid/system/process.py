"""Processes that can be cancelled at any moment, their start included.

The pipes to a process are made here and not by asyncio. A pipe of asyncio's own cannot be closed
while a stray child still holds its other end, and waiting for the process waits for the pipes too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

# A token, and the address of a log, which may have a password in it.
SECRETS = frozenset(("UNBRAID_TOKEN", "UNBRAID_LOG"))
PIPE, NOTHING = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL


class PipeWriter(asyncio.BaseProtocol):
    """The writing end of a pipe. It is no error if it is no longer read."""

    def __init__(self) -> None:
        self._room = asyncio.Event()
        self._room.set()
        self._transport: asyncio.WriteTransport | None = None

    @classmethod
    async def connect(cls, descriptor: int) -> PipeWriter:
        """Takes a descriptor over, and returns its writer."""
        file = os.fdopen(descriptor, "wb", 0)
        _, writer = await asyncio.get_running_loop().connect_write_pipe(cls, file)
        return writer

    def is_closing(self) -> bool:
        """Returns whether nothing more can be written."""
        return self._transport is None or self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Writes as much as the pipe takes now, and the rest when it takes more."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def drain(self) -> None:
        """Waits until the pipe takes more."""
        await self._room.wait()

    def close(self) -> None:
        """Ends the pipe behind what was written."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Ends the pipe at once, also one that is being closed and whose reader does not read."""
        pipe = self._transport
        if pipe is not None and (not pipe.is_closing() or pipe.get_write_buffer_size()):
            pipe.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport: the pipe is connected (called by asyncio)."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def pause_writing(self) -> None:
        """Makes writers wait: too much waits for the reader (called by asyncio)."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Lets writers continue: the reader has caught up (called by asyncio)."""
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Lets writers continue: the pipe is gone (called by asyncio)."""
        self._transport = None
        self._room.set()


class PipeReader:
    """The reading end of a pipe. What is not read holds the writer back."""

    def __init__(self, stream: asyncio.StreamReader, transport: asyncio.BaseTransport) -> None:
        self._stream, self._transport = stream, transport

    @classmethod
    async def connect(cls, descriptor: int) -> PipeReader:
        """Takes a descriptor over, and returns its reader."""
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", 0)
        )
        return cls(stream, transport)

    async def read(self, size: int = -1) -> bytes:
        """Returns more bytes; nothing at the end. Without a size, all until the end."""
        return await self._stream.read(size)

    def close(self) -> None:
        """Stops reading: a process that continues to write gets an error."""
        self._transport.close()


class StartedProcess:
    """A process that was started, with those of its standard files that were to be pipes."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        *,
        stdin: PipeWriter | None,
        stdout: PipeReader | None,
        stderr: PipeReader | None,
    ) -> None:
        self._process = process
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code; None while it lives; negative for a signal that has ended it."""
        return self._process.returncode

    def send_signal(self, number: int) -> None:
        """Sends it a signal, if it still lives."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def wait(self) -> int:
        """Waits for its end, even if other processes still hold its pipes. Returns its exit
        code.
        """
        return await self._process.wait()

    def close_pipes(self) -> None:
        """Closes all pipes, even if other processes still hold their other ends."""
        if self.stdin is not None:
            self.stdin.abort()
        for reader in (self.stdout, self.stderr):
            if reader is not None:
                reader.close()

    async def let_go(self) -> None:
        """Kills it if it lives, and closes its pipes."""
        self.close_pipes()
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self.wait()


def without_token(env: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment for other programs: secrets of ours are not for agents."""
    return {name: value for name, value in env.items() if name not in SECRETS}


async def start(
    argv: Sequence[str],
    env: Mapping[str, str] | None,
    cwd: Path | None = None,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    start_new_session: bool = False,
) -> StartedProcess:
    """Starts a program. Raises OSError or ValueError if there is nothing to start.

    A start that is cancelled continues to its end, and the process is ended then: half a start has
    nothing yet that could be ended.
    """
    given = without_token(os.environ if env is None else env)
    options = {"env": given, "cwd": cwd, "start_new_session": start_new_session}
    files = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    starting = asyncio.create_task(_start(argv, files, options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _to_its_end(starting)
        if starting.exception() is None:
            await _to_its_end(asyncio.create_task(starting.result().let_go()))
        raise


async def _start(
    argv: Sequence[str], files: Mapping[str, int | None], options: Mapping[str, Any]
) -> StartedProcess:
    ours: dict[str, int] = {}
    given: dict[str, Any] = {**files, **options}
    with ExitStack() as unused:
        with ExitStack() as theirs:
            for name in [name for name, wanted in files.items() if wanted == PIPE]:
                read, write = os.pipe()
                ours[name], given[name] = (write, read) if name == "stdin" else (read, write)
                unused.callback(os.close, ours[name])
                theirs.callback(os.close, given[name])
            process = await asyncio.create_subprocess_exec(*argv, **given)
        unused.pop_all()  # from here on, their owners close them
    return StartedProcess(
        process,
        stdin=await PipeWriter.connect(ours["stdin"]) if "stdin" in ours else None,
        stdout=await PipeReader.connect(ours["stdout"]) if "stdout" in ours else None,
        stderr=await PipeReader.connect(ours["stderr"]) if "stderr" in ours else None,
    )


async def _to_its_end(task: asyncio.Task[Any]) -> None:
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task})
