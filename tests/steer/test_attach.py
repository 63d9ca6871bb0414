"""Going on with agents: a session by its id, a sub-agent as a session of its own."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, cli_of, logged
from unbraid import events as e
from unbraid.testing import Script, ScriptedModel, Spawn, bash, claude_launch, say
from unbraid.testing.launch import Launch, opencode_launch
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

SECRET = "The word under the mat was swordfish."
SCRIPT = Script(
    {
        "main": [say("Send one.", Spawn("kid", background=False)), say("It is back."), say("Yes.")],
        "kid": [say("kid looks", bash("echo swordfish")), say("kid is done"), say(SECRET)],
    }
)


AGENTS = """SELECT json_extract(data, '$.agent') FROM message
    WHERE session_id = ? AND json_extract(data, '$.role') = 'assistant'"""


async def start(launch: Launch, argv: list[str], path: str | None = None) -> tuple[int, str, str]:
    env = launch.env | ({"PATH": path} if path else {})
    child = await Child.start(argv, env, launch.cwd)
    try:
        lines = [line async for _, line in child.lines()]
        code = await child.wait()
    finally:
        await child.stop()
    return code, b"\n".join(lines).decode(), child.stderr.decode()


def on_path(launch: Launch, home: Path, name: str) -> str:
    """A PATH on which the pinned CLI is found under its name."""
    program = home / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(launch.argv)} "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}:{launch.env['PATH']}"


def fingerprints(folder: Path) -> dict[Path, str]:
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def messages_of(files: Iterable[Path]) -> dict[str, int]:
    """What Claude Code's own files say each message was given, by its id."""
    found: dict[str, int] = {}
    for path in files:
        for line in path.read_text().splitlines():
            message = json.loads(line).get("message")
            if isinstance(message, dict) and message.get("usage"):
                found[message["id"]] = message["usage"]["input_tokens"]
    return found


@pytest.mark.parametrize("version", ["1.0.128", "2.0.76", "2.1.197", "2.1.325"])
async def test_a_finished_sub_agent_goes_on_as_its_own_session(
    version: str, tmp_path: Path
) -> None:
    cli = cli_of("claude", version)
    async with asyncio.timeout(120):
        with ScriptedModel(SCRIPT) as model:
            launch = claude_launch(cli, model.url, tmp_path)
            path = on_path(launch, tmp_path, "claude")
            run = [UNBRAID, "run", "--", *launch.argv, "-p", "[[main]] Go."]
            assert (await start(launch, run))[0] == 0
            ((name, events),) = (await logged(tmp_path)).items()
            (child,) = [
                event.stream_id
                for event in events
                if isinstance(event, e.StreamStart) and event.tool_use_id
            ]
            assert launch.projects is not None
            before = fingerprints(launch.projects)
            agent = f"{name}/{child}"
            code, printed, output = await start(launch, [UNBRAID, "attach", agent, "--print"])
            assert code == 0, output
            # Printing writes nothing: the copy is made when the agent is continued.
            assert fingerprints(launch.projects) == before
            assert printed.strip() == f"unbraid attach {agent} --resume"
            again = [UNBRAID, "attach", agent, "--resume", "--", "-p", "What was it?"]
            code, answer, output = await start(launch, again, path)
            assert code == 0, output
            assert answer.strip() == SECRET
            after = fingerprints(launch.projects)
            assert {file: after[file] for file in before} == before
            # The copy repeats what the sub-agent has used; nothing of it counts twice.
            code, table, output = await start(launch, [UNBRAID, "cost", "--by", "run", "--json"])
            assert code == 0, output
            rows = {row["key"]: row["input_tokens"] for row in json.loads(table)["rows"]}
            was = messages_of(before)
            for file in (each for each in after.keys() - before.keys() if len(each.stem) == 36):
                if new := {k: v for k, v in messages_of([file]).items() if k not in was}:
                    assert rows[file.stem] == sum(new.values())


async def test_a_session_goes_on_by_its_id(tmp_path: Path) -> None:
    cli = cli_of("claude", "2.1.325")
    async with asyncio.timeout(120):
        with ScriptedModel(SCRIPT) as model:
            launch = claude_launch(cli, model.url, tmp_path)
            path = on_path(launch, tmp_path, "claude")
            # Nobody has followed it: it is read when it is attached to.
            assert (await start(launch, [*launch.argv, "-p", "[[main]] Go."]))[0] == 0
            assert launch.projects is not None
            (main,) = [p for p in launch.projects.glob("*/*.jsonl") if "agent-" not in p.name]
            again = [UNBRAID, "attach", main.stem, "--resume", "--", "-p", "And?"]
            code, answer, output = await start(launch, again, path)
            assert code == 0, output
            assert answer.strip() == "Yes."


async def test_opencodes_children_go_on_as_the_agents_they_are(tmp_path: Path) -> None:
    cli = cli_of("opencode", "1.18.33")
    async with asyncio.timeout(120):
        with ScriptedModel(SCRIPT) as model:
            launch = opencode_launch(cli, model.url, tmp_path)
            path = on_path(launch, tmp_path, "opencode")
            run = [
                UNBRAID,
                "run",
                "--",
                *launch.argv,
                "run",
                "--model",
                "scripted/one",
                "[[main]] Go.",
            ]
            assert (await start(launch, run))[0] == 0
            ((name, events),) = (await logged(tmp_path)).items()
            (child,) = [
                event for event in events if isinstance(event, e.StreamStart) and event.stream_id
            ]
            more = ["--", "run", "--model", "scripted/one", "What was it?"]
            again = [UNBRAID, "attach", f"{name}/{child.stream_id}", "--resume", *more]
            code, answer, output = await start(launch, again, path)
            assert code == 0, output
            assert SECRET in answer
            assert launch.data is not None
            with closing(sqlite3.connect(launch.data / "opencode.db")) as db:
                said = db.execute(AGENTS, [child.agent_id]).fetchall()
    # It was "general" from its first word to its last.
    assert {agent for (agent,) in said} == {"general"}
    assert len(said) == 3


async def test_what_is_not_there_is_reported(tmp_path: Path) -> None:
    launch = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", tmp_path)
    code, _, output = await start(launch, [UNBRAID, "attach", "nothing", "--resume"])
    assert (code, output) == (
        2,
        "unbraid: run or session not found: nothing; `unbraid ps --all` lists all of them\n",
    )
