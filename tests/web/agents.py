"""Real agents that write to the site's log while a browser looks on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.record.run.agents import TIMEOUT_SECONDS, UNBRAID, cli_of
from unbraid.testing import (
    Script,
    ScriptedModel,
    ScriptedThinking,
    Spawn,
    bash,
    claude_launch,
    opencode_launch,
    say,
)
from unbraid.testing.process import Child

VERSIONS = {"claude": "2.1.325", "opencode": "1.18.33"}
GO = "[[main]] Go."

# Agents say these words to each other; no test of ours waits for a clock.
WAIT = "until [ -e gate ]; do sleep 0.05; done; echo open"

FLEET = Script(
    {
        "main": [
            say(
                "Four **helpers** are on their way.",
                *(Spawn(f"w{n}", background=False) for n in range(4)),
            ),
            say("All four are back."),
        ],
        "w0": [
            say(ScriptedThinking("worker 0 thinks"), "worker 0 starts", bash("echo out-of-w0")),
            say("worker 0 is done"),
        ],
        "w1": [
            say("worker 1 delegates", Spawn("leaf", background=False)),
            say("worker 1 has its answer"),
        ],
        "w2": [say("worker 2 waits", bash(WAIT)), say("worker 2 went on")],
        "w3": [say("worker 3 will fail", bash("exit 3")), say("worker 3 has failed once")],
        "leaf": [say("leaf looks", bash("echo out-of-leaf")), say("leaf is done")],
    },
    "web-fleet",
)


PAIR = Script(
    {
        "main": [
            say(
                ScriptedThinking("two will do"),
                "Two **helpers** are on their way.",
                *map(Spawn, "ab"),
            ),
            say("Both are back."),
        ],
        "a": [
            say(ScriptedThinking("a thinks"), "a starts", bash("echo out-of-a")),
            say("a is done"),
        ],
        "b": [say("b waits", bash(WAIT)), say("b went on", bash("exit 3")), say("b is done")],
    },
    "web-pair",
)


@dataclass
class Live:
    """An agent that runs under `unbraid run`."""

    child: Child
    model: ScriptedModel
    cwd: Path
    cli: str = "claude"

    def open_gate(self) -> None:
        """Let the one that waits go on."""
        (self.cwd / "gate").touch()

    async def finish(self) -> None:
        """Wait for its end, and see that it was a good one."""
        async for _ in self.child.lines():
            pass
        code = await self.child.wait()
        assert code == 0, self.child.stderr


@asynccontextmanager
async def running(
    home: Path,
    script: Script = FLEET,
    args: Sequence[str] = ("-p", GO),
    *,
    cli: str = "claude",
    asks: bool = False,
    reads_stdin: bool = False,
) -> AsyncIterator[Live]:
    """A real Claude Code or OpenCode under `unbraid run`, with this folder as its home."""
    program = cli_of(cli, VERSIONS[cli])
    make = opencode_launch if cli == "opencode" else claude_launch
    async with asyncio.timeout(TIMEOUT_SECONDS), ScriptedModel(script) as model:
        launch = make(program, model.url, home, args, asks=asks)
        argv = [UNBRAID, "run", "--", *launch.argv]
        child = await Child.start(argv, launch.env, launch.cwd, reads_stdin=reads_stdin)
        try:
            yield Live(child, model, launch.cwd, cli)
        finally:
            await child.stop()
