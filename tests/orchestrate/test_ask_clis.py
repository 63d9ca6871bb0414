"""`unbraid ask` with the real CLIs, as a process: answered, interrupted, killed."""

from __future__ import annotations

import asyncio
import json
import operator
import shlex
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.polling import until
from tests.record.run.agents import UNBRAID, cli_of
from tests.system.survivors import marked, survivors
from unbraid.testing import Script, ScriptedModel, bash, claude_launch, opencode_launch, say

pytestmark = pytest.mark.cli

CLIS = ("claude 2.1.325", "opencode 1.18.33")
SLOW = Script({"main": [say("/agent slow [[slow]] go")], "slow": [say(bash("sleep 1000"))]})


class Asked:
    """A run of `unbraid ask --json`."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str) -> None:
        self.process, self.mark = process, mark
        self.events: list[dict[str, Any]] = []

    async def until(self, kind: str) -> None:
        """Read its events up to one of that type."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self.events.append(json.loads(line))
            if self.events[-1]["type"] == kind:
                return
        raise AssertionError(f"it has ended without {kind}")

    async def gone(self) -> None:
        """Wait until nothing of it is left."""
        await self.process.wait()
        await until(lambda: survivors(self.mark), operator.not_)


@asynccontextmanager
async def asked(cli: str, script: Script, home: Path) -> AsyncIterator[Asked]:
    """One question, asked of a fleet that has one agent for each of the script's but `main`."""
    name, version = cli.split()
    program = cli_of(name, version)
    async with asyncio.timeout(150):
        with ScriptedModel(script) as model:
            launch = (claude_launch if name == "claude" else opencode_launch)(
                program, model.url, home
            )
            for agent in set(script.agents) - {"main"}:
                path = launch.cwd / "agents" / f"{agent}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"---\nname: {agent}\ndescription: helps\n---\nHelp.\n")
            env, mark = marked({**launch.env, f"UNBRAID_{name.upper()}": shlex.join(launch.argv)})
            process = await asyncio.create_subprocess_exec(
                *(UNBRAID, "ask", "--json", "--backend", name, "[[main]] Go."),
                env=env,
                cwd=launch.cwd,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                limit=1 << 24,
            )
            run = Asked(process, mark)
            try:
                yield run
                await run.gone()
            finally:
                if process.returncode is None:
                    process.kill()


@pytest.mark.parametrize("cli", CLIS)
async def test_it_answers_with_its_sub_agents(cli: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [say("/agent helper [[helper]] go"), say("The helper was right.")],
            "helper": [say("It is so.")],
        }
    )
    async with asked(cli, script, tmp_path) as run:
        await run.until("done")
    assert run.process.returncode == 0
    said = {
        stream: "".join(
            event["delta"]
            for event in run.events
            if event["type"] == "text" and event["stream_id"] == stream
        )
        for stream in (0, 1)
    }
    assert said == {0: "→ delegating: helper\nThe helper was right.", 1: "It is so."}


@pytest.mark.parametrize("cli", CLIS)
async def test_interrupted_it_leaves_nobody(cli: str, tmp_path: Path) -> None:
    async with asked(cli, SLOW, tmp_path) as run:
        await run.until("tool_use")
        run.process.send_signal(signal.SIGINT)
        await run.until("done")
    assert run.process.returncode == 130


@pytest.mark.parametrize("cli", CLIS)
async def test_killed_it_leaves_nobody(cli: str, tmp_path: Path) -> None:
    async with asked(cli, SLOW, tmp_path) as run:
        await run.until("tool_use")
        run.process.kill()
