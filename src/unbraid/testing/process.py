"""A child process that cannot outlive its owner: it has a group of its own, and all processes that
it starts carry a mark."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

_READ_BYTES = 65536
_GRACE_SECONDS = 5.0
_MARK = "UNBRAID_TEST_RUN"


class Child:
    """A running program whose output is read in lines, each with the time at which it was whole."""

    def __init__(self, process: Process, transport: asyncio.BaseTransport, mark: str) -> None:
        self._process, self._transport, self._mark = process, transport, mark
        self._began = time.monotonic()
        self._errors = asyncio.create_task(self._read_errors())
        self.stderr = b""

    @classmethod
    async def start(
        cls, argv: Sequence[str], env: Mapping[str, str], cwd: Path, *, reads_stdin: bool = False
    ) -> Child:
        """Start a program; one that `reads_stdin` has a pipe as its stdin, any other an
        empty one.
        """
        mark, pipe, loop = secrets.token_hex(8), asyncio.subprocess.PIPE, asyncio.get_running_loop()
        # As `create_subprocess_exec` does it, which keeps the transport to itself.
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(limit=_READ_BYTES, loop=loop),
            *argv,
            env={**env, _MARK: mark},
            cwd=cwd,
            stdin=pipe if reads_stdin else asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        return cls(Process(transport, protocol, loop), transport, mark)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    async def lines(self) -> AsyncIterator[tuple[float, bytes]]:
        """Yields each line of stdout without its newline; an unfinished last line too."""
        assert self._process.stdout is not None
        rest = bytearray()
        while chunk := await self._process.stdout.read(_READ_BYTES):
            now = self.seconds
            # Only the new bytes can hold a newline: a line of megabytes must not be searched again.
            head, *tail = chunk.split(b"\n")
            rest += head
            for piece in tail:
                yield now, bytes(rest)
                rest = bytearray(piece)
        if rest:
            yield self.seconds, bytes(rest)

    async def write(self, data: bytes) -> None:
        """Writes bytes to its stdin; it is no error if the program has closed it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(data)
            await self._process.stdin.drain()

    def end_input(self) -> None:
        """Closes its stdin."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def interrupt(self) -> None:
        """Ctrl-C: to it and all that belongs to it, as a terminal does."""
        self._signal_group(signal.SIGINT)

    def kill(self) -> None:
        """Kills it and all processes that it started, at once."""
        self._signal_group(signal.SIGKILL)

    async def wait(self) -> int:
        """Returns its exit code, when it has ended by itself."""
        code = await self._process.wait()
        # Not awaited itself: `stop` may have cancelled it.
        await asyncio.wait([self._errors])
        return code

    async def stop(self) -> int:
        """Ends it by SIGTERM, or by SIGKILL where that is not enough; returns its exit code."""
        if self._process.returncode is None:
            self._signal_group(signal.SIGTERM)
            await self._exited(_GRACE_SECONDS)
        self._signal_group(signal.SIGKILL)
        for pid in _marked(self._mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        code = await self._process.wait()
        self.end_input()
        self._errors.cancel()
        await asyncio.gather(self._errors, return_exceptions=True)
        # The loop closes the transport's pipes at their next event only, which may never come.
        self._transport.close()
        return code

    async def _exited(self, seconds: float) -> None:
        # Not `wait`: that also waits for the pipes, which a stray grandchild may hold open.
        end = time.monotonic() + seconds
        while self._process.returncode is None and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(_READ_BYTES):
            self.stderr += chunk


def _marked(mark: str) -> list[int]:
    """Processes with the mark: a CLI's shells have sessions of their own and outlive its group."""
    wanted, found = f"{_MARK}={mark}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found
