"""Someone at a machine with real CLIs and hooks: sessions in terminals, our commands beside."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.forked import ran
from tests.polling import until
from tests.record.run.agents import UNBRAID, cli_of, log_path
from tests.record.run.terminal import terminal
from tests.record.run.test_interactive import settle
from unbraid.log import SqliteLog
from unbraid.testing import Script, ScriptedModel, claude_launch
from unbraid.testing.launch import Launch
from unbraid.testing.script import ScriptedToolUse, bash, markers

HOOKED_CLI = [
    pytest.mark.cli,
    pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc"),
]
TIMEOUT_SECONDS = 60
READY = {"2.0.76": "for shortcuts", "2.1.197": "/effort", "2.1.325": "/effort"}

WAIT_FOR = """#!/bin/sh
# Says that it has begun, and ends when there is a file.
touch "began-$1"
until [ -e "$1" ]; do sleep 0.1; done
"""


def make_wait(folder: Path) -> None:
    """Write the program that `waits` calls."""
    (folder / "wait.sh").write_text(WAIT_FOR)
    (folder / "wait.sh").chmod(0o755)


def waits(name: str) -> ScriptedToolUse:
    """A tool call that ends when there is a file."""
    return bash(f"./wait.sh {name}")


class Person:
    """Someone at the machine: a session in one terminal, unbraid's commands in another."""

    def __init__(self, launch: Launch, screen: Any, model: ScriptedModel) -> None:
        self.launch, self.screen, self.model = launch, screen, model

    async def unbraid(self, *words: str) -> tuple[int, str]:
        """One command, and what it said."""
        done = await asyncio.to_thread(ran, *words, env=self.launch.env)
        return done.returncode, done.stdout + done.stderr

    @property
    def folder(self) -> Path:
        """Where unbraid keeps its files here."""
        return log_path(Path(self.launch.env["HOME"])).parent

    async def pending(self) -> list[dict[str, Any]]:
        """The requests that wait here now, as our command lists them."""
        found: list[dict[str, Any]] = json.loads((await self.unbraid("approve", "--json"))[1])
        return found

    async def request(self, *, after: Any = None) -> dict[str, Any]:
        """The one request that waits here, as soon as there is one; OpenCode may say after the
        next one that the one before was answered.
        """
        before = after["request_id"] if after else None

        async def look() -> list[dict[str, Any]] | None:
            # Only when there is something to list, a command is started that lists it.
            async with self.log() as log:
                waiting = {name for run in await log.runs() for name in run.state.requests}
            if not waiting - {before}:
                return None
            return [each for each in await self.pending() if each != after] or None

        [found] = await until(look)
        assert isinstance(found, dict)
        return found

    async def do(self, *words: str) -> None:
        """A command that has to succeed."""
        code, said = await self.unbraid(*words)
        assert code == 0, said

    async def run(self) -> str:
        """The one run that there is."""

        async def look() -> str | None:
            async with self.log() as log:
                return next((each.run for each in await log.runs()), None)

        return str(await until(look))

    @asynccontextmanager
    async def log(self) -> AsyncIterator[SqliteLog]:
        """The log that the watch writes."""
        log = await SqliteLog.open(self.folder / "log.db")
        try:
            yield log
        finally:
            await log.close()

    async def exists(self, *names: str) -> None:
        """Wait until there are files in the folder of the session."""

        async def look() -> bool | None:
            return all((self.launch.cwd / name).exists() for name in names) or None

        await until(look)

    async def streams(self, run: str) -> dict[str, int]:
        """The agents below the main one, by their names in the script."""
        started = [e for e in await self.events(run, "stream_start") if e["stream_id"]]
        return {markers(each["prompt"])[0]: each["stream_id"] for each in started}

    async def events(self, run: str, kind: str) -> list[dict[str, Any]]:
        """The events of a type in the log of a run."""
        async with self.log() as log:
            found = await log.read(run, 0, 1000, types=(kind,))
        return [json.loads(entry.data) for entry in found]

    async def ask(self, text: str) -> None:
        """Type a prompt."""
        self.screen.type(text)
        await self.screen.until(text)
        self.screen.type("\r")

    async def agree(self, used: Callable[[], bool]) -> None:
        """Say yes in the dialog, which takes no key in its first moments, until the tool was used.
        A key too many must find no other dialog.
        """
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not used():
                self.screen.type("\r")
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.5):
                        while not used():
                            await self.screen.read()

    def sent(self, text: str) -> list[str]:
        """Whose requests to the model have had a text in them: the agents by their names."""
        having = (json.dumps(each) for each in self.model.requests if text in json.dumps(each))
        return sorted({names[0] for each in having if (names := markers(each))})

    @property
    def texts(self) -> list[str]:
        """What the model has said."""
        return [each["text"] for each in self.model.truth["blocks"] if each["type"] == "text"]

    async def all_is_logged(self, run: str) -> None:
        """Wait until all that the model has said is in the log, and nothing twice."""

        async def look() -> bool | None:
            said = [each["delta"] for each in await self.events(run, "text")]
            return sorted(said) == sorted(self.texts) or None

        await until(look)

    async def spent(self) -> int:
        """The tokens that the one run has spent."""
        (row,) = json.loads((await self.unbraid("ps", "--json"))[1])
        kinds = ("input", "output", "cache_read", "cache_creation")
        return sum(row["usage"].get(f"{kind}_tokens") or 0 for kind in kinds)

    def budget(self, limit: str) -> None:
        """Put a budget for the folder of the session into the rules file."""
        rules = Path(self.launch.env["HOME"], ".local/share/unbraid/alerts.toml")
        rules.write_text(f"[[budget]]\nfolder = {str(self.launch.cwd)!r}\n{limit}\n")

    async def stopped_at_budget(self, run: str) -> str:
        """What the log says of the budget of a run, as soon as it does; it is printed, too."""

        async def look() -> str | None:
            errors = await self.events(run, "error")
            return next((each["message"] for each in errors if each["code"] == "budget"), None)

        note = str(await until(look))
        home = Path(self.launch.env["HOME"])
        await until(lambda: prints(home, f"run {run}: {note}"))
        return note

    async def replies(self, run: str, number: int) -> list[tuple[str, str | None]]:
        """The answers in the log, as soon as there are so many: what, and where it was given. That
        somebody is asked may be known before the hook says for what: that is cancelled then.
        """

        async def replies() -> list[tuple[str, str | None]]:
            events = await self.events(run, "permission_replied")
            found = [(event["behavior"], event.get("where")) for event in events]
            return [each for each in found if each[0] != "cancelled"]

        return await until(replies, lambda found: len(found) >= number)


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


async def prints(home: Path, text: str) -> bool | None:
    return text in (home / "watch.out").read_text() or None


async def page_link(home: Path) -> str | None:
    """The address of the page that the watch has printed."""
    found = re.search(r"http://\S+", (home / "watch.out").read_text())
    return None if found is None else found[0]


async def none_left(home: Path) -> bool | None:
    return True if not hooks_running(home) else None


async def listens(home: Path) -> bool | None:
    return (home / ".local/share/unbraid/hooks/hook.sock").is_socket() or None


@asynccontextmanager
async def session(
    version: str, script: Script, home: Path, *, args: Sequence[str] = (), install: bool = True
) -> AsyncIterator[Person]:
    """A session in a terminal; with the hooks installed before it starts, unless not."""
    cli = cli_of("claude", version)
    with ScriptedModel(script) as model:
        words = ["--permission-mode", "default", *args]
        launch = claude_launch(cli, model.url, home, words, asks=True)
        settle(launch, home)
        if install:
            done = await asyncio.to_thread(ran, "hooks", "install", "claude", env=launch.env)
            assert done.returncode == 0, done.stderr
        async with terminal(launch.argv, launch.env, launch.cwd) as screen:
            await screen.until(READY[version])
            yield Person(launch, screen, model)
            screen.process.send_signal(signal.SIGTERM)
            await screen.process.wait()
    await until(lambda: none_left(home))


@asynccontextmanager
async def listening(
    launch: Launch, home: Path, page: Sequence[str] = ("--no-page",)
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A watch that hooks can call, while the block runs, unless the block kills it."""
    with (home / "watch.out").open("ab") as said:
        process = await asyncio.create_subprocess_exec(
            UNBRAID, "watch", *page, env=launch.env, stdout=said, stderr=said
        )
    try:
        await until(lambda: listens(home))
        yield process
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(TIMEOUT_SECONDS):
                assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def answering(launch: Launch) -> AsyncIterator[asyncio.StreamReader]:
    """Someone has said that they answer; the requests that come, line by line."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "approve", "--wait", "--json", env=launch.env,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        await process.stderr.readline()  # it is known that somebody does
        async with asyncio.timeout(TIMEOUT_SECONDS):
            yield process.stdout
            process.send_signal(signal.SIGINT)
            await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
