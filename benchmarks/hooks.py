"""What installed hooks cost a tool call: with nobody listening, and with somebody."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.table import Measured, NotMeasured, table
from unbraid.agents.claude.hooks.commands import EVENTS, ORDERS, command
from unbraid.machine import Machine

ROUNDS = 40
AWAY_MS, THERE_MS = 5, 25
SESSION = "11111111-2222-4333-8444-555555555555"
AT_A_CALL = [what for event in ("PreToolUse", "PostToolUse") for what in EVENTS[event]]


def milliseconds(script: str) -> float:
    """The median time that a CLI waits for a command."""
    body = json.dumps({"session_id": SESSION, "hook_event_name": "PostToolUse"}).encode()
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(["/bin/sh", "-c", script], input=body, capture_output=True, check=True)
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


async def measured(home: Path) -> list[Measured]:
    """All of it, for a machine that is kept in a folder."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "UNBRAID_HOME": str(home / "unbraid")}
    folder = home / "unbraid" / "hooks"
    at_a_call = [command(what, folder) for what in AT_A_CALL]

    async def total(scripts: list[str]) -> float:
        return sum([await asyncio.to_thread(milliseconds, script) for script in scripts])

    away = await total(at_a_call)
    async with Machine(env=env) as machine, machine.watching():
        while not (folder / "hook.sock").is_socket():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        there = await total(at_a_call)
        (folder / "mail").touch()
        mail = await total([command(ORDERS, folder)])
    shells = f"{len(at_a_call)} shells"
    called = "at the first call of a session, and while a message or a stop waits"
    return [
        Measured(
            "hooks at a tool call, nobody listens", away, "ms", at_most=AWAY_MS, detail=shells
        ),
        Measured("hooks at a tool call, unbraid there", there, "ms", at_most=THERE_MS),
        Measured("a hook that calls unbraid", mail, "ms", detail=called),
    ]


def main() -> list[Measured]:
    """The commands themselves, run as a CLI runs them."""
    if shutil.which("curl") is None:
        raise NotMeasured("there is no curl")
    with tempfile.TemporaryDirectory() as home:
        return asyncio.run(measured(Path(home)))


if __name__ == "__main__":
    print(table(main()))
