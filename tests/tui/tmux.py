"""A real terminal that a test types into and reads: tmux, with a server of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.polling import until

ENDED = "ended with "


class Terminal:
    """One terminal, in which one program runs."""

    def __init__(self, program: str, env: Mapping[str, str]) -> None:
        self._command = (program, "-L", f"unbraid-{os.getpid()}-{secrets.token_hex(4)}")
        # Whatever says how large another terminal is (pytest does) would be believed.
        env = {name: word for name, word in env.items() if name not in ("COLUMNS", "LINES")}
        self._env = {**env, "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    async def call(self, *words: str) -> str:
        """One of tmux's commands, and what it printed."""
        # In a thread: a test that is over its time limit leaves no half-read process behind.
        done = await asyncio.to_thread(
            subprocess.run, [*self._command, *words], env=self._env, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout.decode()

    async def type(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        await self.call("send-keys", *keys)

    async def write(self, text: str) -> None:
        """Type text as it is."""
        await self.call("send-keys", "-l", text)

    async def screen(self) -> str:
        """What a person sees now."""
        return await self.call("capture-pane", "-p")

    async def leave(self) -> None:
        """Press Ctrl-C as one leaves an agent, and once more if it asks for that."""
        await self.type("C-c")
        if ENDED not in await self.until(lambda seen: ENDED in seen or "again to" in seen):
            await self.type("C-c")
            await self.until(ENDED)

    async def press_until(self, key: str, shows: str) -> None:
        """Press a key until the screen shows something: it may do nothing at first."""

        async def pressed() -> str:
            await self.type(key)
            return await self.screen()

        await until(pressed, lambda seen: shows in seen)

    async def until(self, shows: str | Callable[[str], bool]) -> str:
        """The screen, as soon as it shows something."""
        return await until(
            self.screen, lambda seen: shows in seen if isinstance(shows, str) else shows(seen)
        )

    async def still(self) -> str:
        """The screen as it is between two redraws: what is read in the middle of one may show
        something at its old place and at its new one.
        """
        seen = [await self.screen()]

        async def alike() -> bool:
            seen.append(await self.screen())
            return seen[-1] == seen[-2]

        await until(alike)
        return seen[-1]


@contextlib.asynccontextmanager
async def terminal(
    argv: Sequence[str], env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[Terminal]:
    """A program in a terminal of that size; both are gone afterwards."""
    program = shutil.which("tmux")
    if program is None:
        pytest.skip("no tmux on PATH")
    folder = tempfile.TemporaryDirectory(prefix="tmux-")  # its socket outlives the server
    made = Terminal(program, {**env, "TMUX_TMPDIR": folder.name})
    width, height = map(str, size)
    # The terminal stays when the program has ended, so that its last words can be read.
    command = f"{shlex.join(argv)}; echo {ENDED}$?; read _"
    await made.call(
        "new-session", "-d", "-x", width, "-y", height, "-c", str(cwd), "--", command
    )  # fmt: skip
    try:
        yield made
    finally:
        await made.call("kill-server")
        folder.cleanup()
