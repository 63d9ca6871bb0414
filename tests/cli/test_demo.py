"""The demo as a newcomer and as CI start it: the real server, the real recording."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

from tests.access import LINK, visitor
from tests.record.run.agents import UNBRAID
from tests.tui.tmux import terminal
from unbraid.cli.demo import recorded_lines
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree
from unbraid.system.clock import now_ms
from unbraid.system.prices.loader import load_prices

ADDRESS = re.compile(rf"({LINK})#/run/demo")


def recorded() -> list[str]:
    """The texts of the recorded messages, as Claude Code's own stdout has them."""
    records = [json.loads(line) for _, line in recorded_lines()]
    blocks = [
        block
        for record in records
        if record["type"] == "assistant"
        for block in record["message"]["content"]
    ]
    return [block["text"] for block in blocks if block["type"] == "text"]


@contextlib.asynccontextmanager
async def started(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "demo", *options, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def test_it_shows_everything_and_ends_by_itself() -> None:
    async with started("--speed", "20") as process:
        printed, _ = await process.communicate()
    output = printed.decode()
    assert process.returncode == 0
    assert output.startswith("Replaying a recording of Claude Code")
    assert ADDRESS.search(output)
    assert "\x1b" not in output
    flat = " ".join(output.split())
    for text in recorded():
        first = text.split("\n")[0]
        assert flat.count(first) == 1, first
    pipeline, tree = Pipeline("demo", prices=load_prices().prices), Tree()
    for _, line in recorded_lines():
        tree.apply(pipeline.feed(line, now=now_ms()))
    tree.apply(pipeline.finish(now_ms()))
    assert tree.to_text() in output


async def test_the_page_is_served_while_it_plays_and_as_long_as_it_is_asked_to() -> None:
    async with started("--speed", "20", "--stay") as process:
        assert process.stdout is not None
        output = ""
        while "The page stays until Ctrl-C" not in output:
            output += (await process.stdout.readline()).decode()
        found = ADDRESS.search(output)
        assert found is not None
        async with visitor(found[1]) as client:
            assert "<html" in (await client.get("")).text.lower()
            run = (await client.get("v1/runs/demo")).json()
            assert (run["status"], run["agents"]) == ("done", 5)
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0


async def test_without_the_page_nothing_is_served() -> None:
    async with started("--speed", "50", "--no-page") as process:
        printed, _ = await process.communicate()
    assert process.returncode == 0
    assert b"http" not in printed


async def test_on_a_terminal_the_tree_lives_below_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    async with terminal(
        [UNBRAID, "demo", "--speed", "3", "--no-page"], env, tmp_path, (90, 40)
    ) as view:
        seen = await view.until(lambda seen: "└─" in seen and "run manual" in seen)
        assert "a recording of Claude Code with four sub-agents" in seen
        assert "run tester general-purpose" in seen
        await view.type("C-c")
        seen = await view.until("ended with 0")
        assert "That was a recording." in seen
        assert "Traceback" not in seen
