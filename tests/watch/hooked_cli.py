"""A person at a real CLI whose hooks are installed, and an unbraid that listens to them."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.launch.agents import UNBRAID, cli_of
from tests.launch.terminal import Terminal, terminal
from tests.launch.test_interactive import settle
from unbraid.testing import Script, ScriptedModel, claude_launch
from unbraid.testing.launch import Launch

TIMEOUT_SECONDS = 60
READY = {"2.0.76": "for shortcuts", "2.1.197": "/effort", "2.1.325": "/effort"}


class Person:
    """Someone at the machine: a session in one terminal, unbraid's commands in another."""

    def __init__(self, launch: Launch, screen: Terminal) -> None:
        self.launch, self.screen = launch, screen

    async def unbraid(self, *words: str) -> tuple[int, str]:
        """One command, and what it said."""
        process = await asyncio.create_subprocess_exec(
            UNBRAID, *words, env=self.launch.env,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode()

    async def requests(self, *, other_than: Any = None) -> list[dict[str, Any]]:
        """The requests that wait here, when there are others than one that was there before."""

        async def look() -> list[dict[str, Any]] | None:
            found: list[dict[str, Any]] = json.loads((await self.unbraid("approve", "--json"))[1])
            return found if found and found != [other_than] else None

        found: list[dict[str, Any]] = await until(look)
        return found

    async def do(self, *words: str) -> None:
        """A command that has to succeed."""
        code, said = await self.unbraid(*words)
        assert code == 0, said

    async def run(self) -> str:
        """The one run that there is."""

        async def look() -> str | None:
            rows = json.loads((await self.unbraid("ps", "--json"))[1])
            return rows[0]["run"] if rows else None

        return str(await until(look))

    async def ask(self, text: str) -> None:
        """Type a prompt."""
        self.screen.type(text)
        await self.screen.until(text)
        self.screen.type("\r")

    async def agree(self, used: Callable[[], bool], then: str) -> None:
        """Say yes in the dialog, which takes no key in its first moments, until the tool was
        used."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not used():
                self.screen.type("\r")
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.5):
                        await self.screen.until(then)

    async def replies(self, run: str) -> list[tuple[str, str | None]]:
        """The answers in the log: what, and where it was given."""
        lines = (await self.unbraid("cat", "--json", run))[1].splitlines()
        events = [json.loads(line) for line in lines if '"permission_replied"' in line]
        return [(event["behavior"], event.get("where")) for event in events]


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    """What is found, as soon as it is."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while (found := await look()) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        return found


def hooks_running(home: Path) -> list[str]:
    """The commands of hooks that run for this home."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if "hook.sock" in words and str(home) in words:
            found.append(words)
    return found


async def none_left(home: Path) -> bool | None:
    return True if not hooks_running(home) else None


async def listens(home: Path) -> bool | None:
    return (home / ".local/share/unbraid/hooks/hook.sock").is_socket() or None


@asynccontextmanager
async def session(
    version: str, script: Script, home: Path, *, install: bool = True
) -> AsyncIterator[Person]:
    """A session in a terminal; with the hooks installed before it starts, unless not."""
    cli = cli_of("claude", version)
    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, home, ["--permission-mode", "default"], asks=True)
        settle(launch, home)
        if install:
            process = await asyncio.create_subprocess_exec(
                UNBRAID, "hooks", "install", "claude", env=launch.env, stdout=-3
            )
            assert await process.wait() == 0
        async with terminal(launch.argv, launch.env, launch.cwd) as screen:
            await screen.until(READY[version])
            yield Person(launch, screen)
            screen.process.send_signal(signal.SIGTERM)
            await screen.process.wait()
    await until(lambda: none_left(home))


async def listening_watch(launch: Launch, home: Path) -> asyncio.subprocess.Process:
    """A watch that hooks can call."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=launch.env, stderr=-3
    )
    await until(lambda: listens(home))
    return process


@asynccontextmanager
async def listening(launch: Launch, home: Path) -> AsyncIterator[None]:
    """The same while the block runs."""
    process = await listening_watch(launch, home)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


@asynccontextmanager
async def answering(launch: Launch) -> AsyncIterator[asyncio.StreamReader]:
    """Someone has said that they answer; the requests that come, line by line."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "approve", "--wait", "--json", env=launch.env,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stderr.readline()  # it is known that somebody does
    async with asyncio.timeout(TIMEOUT_SECONDS):
        yield process.stdout
        process.send_signal(signal.SIGINT)
        await process.communicate()
