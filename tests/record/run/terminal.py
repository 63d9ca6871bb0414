"""A terminal with a program in it, and a person who reads and types."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import struct
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

TIMEOUT_SECONDS = 90
# What a terminal acts on: control sequences and strings, and the moves that stand for blanks.
_ACTIONS = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:?<>=!]*[ -/]*[@-~]|\x1b.")


class Terminal:
    """What was drawn so far, and the keys."""

    def __init__(
        self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, keys: int
    ) -> None:
        self.process, self._reader, self._keys = process, reader, keys
        self.drawn = b""

    @property
    def words(self) -> str:
        """What was drawn, without blanks: programs move the cursor where others would print one."""
        return re.sub(r"\s", "", _ACTIONS.sub(b"", self.drawn).decode("utf-8", "replace"))

    async def until(self, words: str) -> None:
        """Wait until something is drawn."""
        wanted = re.sub(r"\s", "", words)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while wanted not in self.words:
                await self.read()

    async def read(self) -> None:
        """Wait until more is drawn."""
        data = await self._reader.read(65536)
        assert data, self.words
        self.drawn += data

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keys, keys.encode())

    async def end(self) -> int:
        """Wait for the program's end; its exit code."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while data := await self._reader.read(65536):
                self.drawn += data
            return await self.process.wait()


@asynccontextmanager
async def terminal(
    argv: Sequence[str], env: Mapping[str, str], cwd: Path | None = None, *, columns: int = 160
) -> AsyncIterator[Terminal]:
    """Start a program in a terminal of its own."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    sized = {name: word for name, word in env.items() if name not in ("COLUMNS", "LINES")}
    process = await asyncio.create_subprocess_exec(
        *argv,
        env={**sized, "TERM": "xterm-256color"},
        cwd=cwd,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(ours), "rb", buffering=0)
    )
    try:
        yield Terminal(process, _Forgiving(reader), ours)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        transport.close()
        os.close(ours)


class _Forgiving(asyncio.StreamReader):
    """A terminal whose program is gone is an error to read from; here it is an end."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self._reader = reader

    async def read(self, n: int = -1) -> bytes:
        try:
            return await self._reader.read(n)
        except OSError:
            return b""
