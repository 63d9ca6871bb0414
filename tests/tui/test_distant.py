"""`unbraid top --url`: the same screen, over a real `unbraid serve`."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.record.run.agents import UNBRAID, log_path
from tests.record.watch.test_restart import environment
from tests.redact.secret import KEY, SEEN, bits_in
from tests.redact.test_lines import cut
from tests.steer.test_control import talking
from tests.tui.screens import opening, said
from tests.tui.tmux import terminal
from unbraid.log import SqliteLog
from unbraid.testing import scenario
from unbraid.testing.log_contract import sample_run

CLAUDE = "2.1.325"
ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")


@contextlib.asynccontextmanager
async def served(env: Mapping[str, str], *options: str) -> AsyncIterator[str]:
    """The address of a real server over the log of an environment."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "serve", "--port", "0", *options, env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(60):
            found = None
            while found is None:
                line = await process.stderr.readline()
                assert line, "the server has ended"
                found = ADDRESS.search(line)
        yield found[0].decode()
    finally:
        process.terminate()
        await process.wait()


async def added(env: Mapping[str, str], *argv: str) -> str:
    """The secret of a new token."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "token", "add", *argv, env=env, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return out.decode().strip()


async def test_what_another_machine_has(tmp_path: Path) -> None:
    env, here = environment(tmp_path / "there"), environment(tmp_path / "here")
    log = await SqliteLog.open(log_path(tmp_path / "there"))
    await log.append("old", sample_run(["Old words.", " And a needle."]))
    await log.append("new", [*opening(), *said(0, [f"word-{n}-\n" for n in range(3000)], first=3)])
    secret = await added(env, "wall", "--read-only")
    async with served(env) as url:
        async with terminal([UNBRAID, "top", "--url", url], here, tmp_path) as view:
            await view.until(lambda seen: "it requires a token" in seen and "ended with 4" in seen)
        here["UNBRAID_TOKEN"] = secret
        async with terminal([UNBRAID, "top", "--url", url], here, tmp_path) as view:
            await view.until(lambda seen: "word-2999-" in seen and "1 live of 2" in seen)
            await view.type("3", "Home")
            await view.until(lambda seen: "word-0-" in seen and "word-2999-" not in seen)
            await view.type("End")
            await log.append("new", said(0, ["said just now"], first=3003))
            await view.until("said just now")
            await view.type("1", "Down")
            await view.until("Old words. And a needle.")
            await log.append("third", opening())
            await view.until("2 live of 3")
            await view.type("/")
            await view.until("─ Find")
            await view.write("needle")
            await view.until("“ Old words. And a needle.")
            await view.type("Enter")
            await view.until(lambda seen: "Old words." in seen and "─ Find" not in seen)
            await view.type("q")
            await view.until("ended with 0")
        async with terminal([UNBRAID, "top", "ol", "--url", url], here, tmp_path) as view:
            await view.until("Old words. And a needle.")
    await log.close()
    assert not log_path(tmp_path / "here").exists()


@pytest.mark.parametrize("folder", ["home", "a-home-" * 12], ids=["short", "long"])
async def test_a_server_that_goes_and_comes_back(folder: str, tmp_path: Path) -> None:
    """In a home whose path is too long for a socket, it comes back at another one."""
    home = tmp_path / folder
    env = environment(home)
    log = await SqliteLog.open(log_path(home))
    await log.append("one", [*opening(), *said(0, ["first words"], first=3)])
    port = str(free_port())
    async with contextlib.AsyncExitStack() as stack:
        async with served(env, "--port", port) as url:
            view = await stack.enter_async_context(
                terminal([UNBRAID, "top", "--url", url], env, tmp_path)
            )
            await view.until("first words")
        await view.until("cannot be reached")
        # One toast, however many look for it.
        seen = await view.still()
        assert seen.count("cannot be reached") == 1
        assert "first words" in seen
        await log.append("one", said(0, ["second words"], first=4))
        async with served(env, "--port", port):
            await view.until("second words")
            await view.type("q")
            await view.until("ended with 0")
    await log.close()


async def test_secrets_of_the_server_are_redacted_here(tmp_path: Path) -> None:
    env = environment(tmp_path)
    log = await SqliteLog.open(log_path(tmp_path))
    await log.append("one", sample_run(cut(f"I use {KEY}.", list(range(0, 100, 3)))))
    await log.close()
    async with (
        served(env) as url,
        terminal([UNBRAID, "top", "--redact", "--url", url], env, tmp_path, (160, 40)) as view,
    ):
        seen = await view.until(f"I use {SEEN}.")
        assert not bits_in(seen)


@pytest.mark.cli
async def test_permission_is_given_and_refused(tmp_path: Path) -> None:
    async with (
        talking(CLAUDE, scenario("permission"), tmp_path, asks=True) as talk,
        served(talk.launch.env) as url,
        terminal(
            [UNBRAID, "top", "--url", url],
            {**environment(tmp_path / "here"), "UNBRAID_TOKEN": await added(talk.launch.env, "me")},
            tmp_path,
        ) as view,
    ):
        for key, tool in (("a", "Bash"), ("d", "Write")):
            await view.until(f"◐ p answers: {tool}")
            await view.type("p")
            await view.until(lambda seen: "May it?" in seen and "not ready yet" not in seen)
            await view.type(key)
        await view.until("One yes, one no.")
        assert (await talk.read_until("result"))["result"] == "One yes, one no."
        await view.type("s")
        await view.until("End the whole run?")
        await view.type("y")
        assert await talk.child.wait() != 0
    assert await asyncio.to_thread((tmp_path / "app" / "allowed.txt").exists)
    assert not await asyncio.to_thread((tmp_path / "app" / "denied.txt").exists)


async def test_what_is_for_this_machine_is_refused(tmp_path: Path) -> None:
    env = environment(tmp_path)
    argv = [UNBRAID, "top", "--url", "http://127.0.0.1:1", "--opencode", "http://127.0.0.1:2"]
    async with terminal(argv, env, tmp_path) as view:
        await view.until(lambda seen: "--opencode and --url cannot" in seen and "with 2" in seen)
