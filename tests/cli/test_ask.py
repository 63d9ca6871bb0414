"""`unbraid ask` as it really runs: a process, a terminal, a signal, an exit code."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from tests.orchestrate.fleets import environment, scripted
from unbraid.events import StreamEnd, decode_event
from unbraid.testing import HttpError, ScriptedModel, assert_fleet, say

COMMAND = str(Path(sys.executable).with_name("unbraid"))
PATIENCE_SECONDS = 300
ANSWER = "This is the answer, \x1b[31mand it is red\x1b[0m, and it is long enough to stream.\nTwo."
SCRIPT = {
    "main": [
        say("Plan.\n/parallel\n/agent a [[a]] go\n/agent b [[b]] go\n/endparallel", chunk_chars=9),
        say(ANSWER, chunk_chars=9),
    ],
    "a": [say("A says. " * 9, chunk_chars=9, chunk_delay_seconds=0.01)],
    "b": [say("B says. " * 9, chunk_chars=9, chunk_delay_seconds=0.01)],
    "slow": [say("/agent a [[never]] go")],
    "never": [say("Never.", delay_seconds=3600)],
    "bad": [say("x", failure=HttpError(400, "invalid_request_error", "no", times=None))],
}


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with scripted(SCRIPT) as model:
        yield model


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "agents").mkdir()
    for name in "ab":
        text = f"---\nname: {name}\ndescription: The {name}\n---\n"
        (tmp_path / "agents" / f"{name}.md").write_text(text)
    return tmp_path


async def start(
    model: ScriptedModel, project: Path, *args: str, stdin: int = DEVNULL, stdout: int = PIPE
) -> asyncio.subprocess.Process:
    env = environment(model) | {"UNBRAID_HOME": str(project / "home"), "HOME": str(project)}
    env |= {"TERM": "xterm", "COLUMNS": "100"}
    return await asyncio.create_subprocess_exec(
        COMMAND, *args, cwd=project, env=env, stdin=stdin, stdout=stdout, stderr=PIPE
    )


async def run(
    model: ScriptedModel, project: Path, *args: str, given: bytes | None = None
) -> tuple[int | None, bytes, bytes]:
    process = await start(model, project, *args, stdin=DEVNULL if given is None else PIPE)
    async with asyncio.timeout(PATIENCE_SECONDS):
        out, err = await process.communicate(given)
    return process.returncode, out, err


async def test_the_answer_and_nothing_else(model: ScriptedModel, project: Path) -> None:
    code, out, err = await run(model, project, "ask", "[[main]]", "go")
    assert (code, err) == (0, b"")
    assert out.decode() == ANSWER
    # What it left is a run like any other.
    code, out, _ = await run(model, project, "ps", "--json")
    (listed,) = msgspec.json.decode(out)
    assert (listed["source"], listed["status"], listed["agents"]) == ("orchestrate", "done", 3)
    code, out, _ = await run(model, project, "tree", listed["run"])
    assert "✔ 0 index" in out.decode() and "├─ ✔ 1 a" in out.decode() and "└─ ✔ 2 b" in out.decode()
    code, out, _ = await run(model, project, "tail", listed["run"])
    assert "→ delegating: a, b" in out.decode()


async def test_every_event_as_json_and_a_prompt_from_a_pipe(
    model: ScriptedModel, project: Path
) -> None:
    code, out, _ = await run(model, project, "ask", "--json", "-", given=b"[[main]] go\n")
    assert code == 0
    assert_fleet([decode_event(line) for line in out.splitlines()])


async def test_a_run_that_fails(model: ScriptedModel, project: Path) -> None:
    code, out, err = await run(model, project, "ask", "[[bad]] go")
    assert (code, out) == (1, b"")
    assert b"index failed: anthropic" in err


async def test_ctrl_c_cancels_and_leaves_a_whole_log(model: ScriptedModel, project: Path) -> None:
    process = await start(model, project, "ask", "--json", "[[slow]] go")
    assert process.stdout is not None
    lines: list[bytes] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for line in process.stdout:
            lines.append(line)
            if b'"stream_start"' in line and b'"agent":"a"' in line:
                process.send_signal(signal.SIGINT)
        await process.communicate()
    assert process.returncode == 130
    events = [decode_event(line) for line in lines]
    assert_fleet(events)
    assert {x.reason for x in events if isinstance(x, StreamEnd)} == {"cancelled"}


async def test_a_person_sees_sub_agents_and_no_agent_paints_the_terminal(
    model: ScriptedModel, project: Path
) -> None:
    ours, theirs = pty.openpty()
    process = await start(model, project, "ask", "[[main]] go", stdout=theirs)
    os.close(theirs)
    seen = b""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                data = await asyncio.to_thread(os.read, ours, 65536)
            except OSError:  # the other end is closed
                break
            seen += data
        await process.wait()
    os.close(ours)
    assert process.returncode == 0
    shown = seen.decode()
    assert "→ delegating: a, b" in shown
    assert "\\x1b[31mand it is red\\x1b[0m" in shown and "\x1b[31m" not in shown
    assert "Plan." in shown, "drafts are shown while they are held"


async def test_bad_agent_files_are_reported(model: ScriptedModel, project: Path) -> None:
    (project / "agents" / "bad.md").write_text("---\nname: [x\n---\n")
    code, out, err = await run(model, project, "ask", "--agents")
    assert code == 0
    assert [line.split()[0] for line in out.decode().splitlines()] == ["index", "a", "b"]
    assert b"agents/bad.md:2: " in err


async def test_nothing_to_ask(model: ScriptedModel, project: Path) -> None:
    code, _, err = await run(model, project, "ask", given=b"")
    assert code == 2 and b"missing PROMPT" in err


async def test_nothing_to_ask_with(model: ScriptedModel, project: Path) -> None:
    code, _, err = await run(model, project, "ask", "--backend", "telepathy", "x")
    assert code == 1 and b"unknown backend 'telepathy'" in err
