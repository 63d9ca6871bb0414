"""`unbraid top` in a real terminal, beside real agents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, cli_of, log_path, play
from tests.steer.test_control import talking
from tests.tui.screens import opening, said
from tests.tui.tmux import terminal
from unbraid.log import SqliteLog
from unbraid.testing import scenario
from unbraid.testing.launch import claude_launch

CLAUDE = "2.1.325"


@pytest.mark.cli
@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["small", "wide"])
async def test_a_session_appears_by_itself(size: tuple[int, int], tmp_path: Path) -> None:
    launch = claude_launch(cli_of("claude", CLAUDE), "http://127.0.0.1:1", tmp_path)
    async with terminal([UNBRAID, "top"], launch.env, launch.cwd, size) as view:
        await view.until("No agents here yet")
        # Started without unbraid: it is found, and followed from beside.
        recording = await play(CLAUDE, "nested", tmp_path, ["-p", "[[main]] Go."], prefix=())
        texts = {block["agent"]: block["text"] for block in recording.blocks if "text" in block}
        await view.until(texts["main"])
        seen = await view.until(lambda seen: "run mid" in seen and "run leaf" in seen)
        assert seen.index("run mid") < seen.index("run leaf")
        await view.type("2", "Down", "Down")
        await view.until(texts["leaf"])
        await view.type("Up")
        await view.until(texts["mid"])
        await view.type("/")
        await view.until("─ Find")
        await view.write(texts["leaf"])
        await view.until(lambda seen: "“ " + texts["leaf"][:12] in seen)
        await view.type("Enter")
        await view.until(lambda seen: texts["leaf"] in seen and "─ Find" not in seen)
        await view.type("?")
        await view.until("send a message to the main agent")
        await view.type("Escape")
        await view.until(lambda seen: "to the main agent" not in seen)
        await view.type("q")
        await view.until("ended with 0")


@pytest.mark.cli
async def test_permission_is_given_and_refused(tmp_path: Path) -> None:
    async with (
        talking(CLAUDE, scenario("permission"), tmp_path, asks=True) as talk,
        terminal([UNBRAID, "top"], talk.launch.env, talk.launch.cwd) as view,
    ):
        for key, tool in (("a", "Bash"), ("d", "Write")):
            await view.until(f"◐ p answers: {tool}")
            await view.type("p")
            await view.until(lambda seen: "May it?" in seen and "not ready yet" not in seen)
            await view.type(key)
        await view.until("One yes, one no.")
        assert (await talk.read_until("result"))["result"] == "One yes, one no."
        await view.type("i")
        await view.until("Interrupt the main agent?")
        await view.type("n")
        await view.until(lambda seen: "Interrupt the main agent?" not in seen)
        await view.type("s")
        await view.until("End the whole run?")
        await view.type("y")
        assert await talk.child.wait() != 0
        await view.type("q")
        await view.until("ended with 0")
    assert await asyncio.to_thread((tmp_path / "app" / "allowed.txt").exists)
    assert not await asyncio.to_thread((tmp_path / "app" / "denied.txt").exists)


@pytest.mark.cli
async def test_a_message_reaches_the_agent(tmp_path: Path) -> None:
    async with talking(CLAUDE, scenario("interrupt"), tmp_path, asks=False) as talk:
        await talk.model.reached("main", 0, chunks=5)
        async with terminal([UNBRAID, "top"], talk.launch.env, talk.launch.cwd) as view:
            await view.until("● main")
            # Until it knows that the run can be steered, the key does nothing.
            await view.press_until("i", "Interrupt the main agent?")
            await view.type("y")
            assert (await talk.read_until("result"))["subtype"] == "error_during_execution"
            await view.type("m")
            await view.until("Message to the main agent")
            await view.write("Go on.")
            await view.type("Enter")
            assert (await talk.read_until("result"))["result"] == "After the interrupt."
            await view.until("After the interrupt.")
        talk.child.end_input()
        assert await talk.child.wait() == 0


async def test_nothing_hostile_reaches_the_terminal(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    log = await SqliteLog.open(log_path(tmp_path))
    try:
        evil = [
            "\x1b]52;c;b3duZWQ=\x07 clipboard\n",
            "\x1b]2;owned\x07 title\n",
            "\x1b[2J\x1b[H cleared\n",
            "\x9b31m one byte\n",
            "[red]markup[/red] [@click=app.quit]press[/]\n",
            "end of it",
        ]
        await log.append("evil", [*opening(), *said(0, evil, first=3)])
    finally:
        await log.close()
    async with terminal([UNBRAID, "top"], env, tmp_path) as view:
        seen = await view.until("end of it")
        assert "\\x1b]52;c;b3duZWQ=\\x07 clipboard" in seen
        assert "[red]markup[/red] [@click=app.quit]press[/]" in seen
        assert "Agents" in seen
        assert "owned" not in await view.call("display-message", "-p", "#{pane_title}")
        assert "owned" not in await view.call("show-buffer")


async def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "top", env={"HOME": str(tmp_path)},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, output = await process.communicate()
    assert process.returncode == 2
    assert b"`unbraid top` needs a terminal" in output


async def test_a_log_that_goes_away_is_missed(tmp_path: Path) -> None:
    env, path = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, log_path(tmp_path)
    log = await SqliteLog.open(path)
    await log.append("one", [*opening(), *said(0, ["some words"], first=3)])
    await log.close()
    async with terminal([UNBRAID, "top"], env, tmp_path) as view:
        await view.until("some words")
        path.parent.rename(tmp_path / "elsewhere")
        seen = await view.until("deleted or replaced")
        assert "some words" in seen
        await view.type("q")
        await view.until("ended with 0")


async def test_who_waits_for_words_is_reported_so(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    async with terminal([UNBRAID, "tail"], env, tmp_path, (40, 10)) as view:
        await view.until("Waiting for new output.")
        log = await SqliteLog.open(log_path(tmp_path))
        await log.append("one", [*opening(), *said(0, ["words " * 9 + "\n"], first=3)])
        await log.close()
        # Within the gutter, which is narrower here.
        wanted = [
            "0 main     │ words words words words", "0 main     │ words words words words",
            "0 main     │ words",
        ]  # fmt: skip
        await view.until(
            lambda seen: [line for line in seen.split("\n") if "words" in line] == wanted
        )
        await view.type("C-c")
        await view.until("ended with 130")
