"""A program in a terminal of tmux, and a person who reads its screen and types."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest


class TmuxScreen:
    """One program's screen."""

    def __init__(self, server: Sequence[str]) -> None:
        self._server = server

    async def until(self, words: str) -> str:
        """Waits until something is on the screen; returns all that is."""
        while True:
            screen = await _printed([*self._server, "capture-pane", "-p"])
            if words in screen:
                return screen
            await asyncio.sleep(0.2)

    async def leave(self) -> None:
        """Presses Ctrl-C twice, as one leaves such a program."""
        for _ in range(2):
            await _printed([*self._server, "send-keys", "C-c"])
            await asyncio.sleep(0.7)


@asynccontextmanager
async def in_tmux(
    argv: Sequence[str], env: Mapping[str, str], cwd: Path, home: Path
) -> AsyncIterator[TmuxScreen]:
    """Starts a program in a tmux of its own, whose socket is in a home."""
    tmux = shutil.which("tmux")
    if tmux is None:
        pytest.skip("there is no tmux")
    server = [tmux, "-S", str(home / "tmux"), "-f", "/dev/null"]
    given = [f"{name}={value}" for name, value in {**env, "TERM": "xterm-256color"}.items()]
    command = shlex.join(["env", "-i", *given, *argv])
    started = [*server, "new-session", "-d", "-x", "140", "-y", "45", "-c", str(cwd)]
    assert await _printed([*started, command]) == ""
    try:
        yield TmuxScreen(server)
    finally:
        await _printed([*server, "kill-server"])


async def _printed(argv: Sequence[str]) -> str:
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=nothing)
    return (await process.communicate())[0].decode()
