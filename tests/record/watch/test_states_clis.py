"""What a session in a terminal does, seen from outside, by what the CLI itself says of it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.record.run.agents import UNBRAID, cli_of
from tests.record.run.terminal import terminal
from tests.record.run.test_interactive import VERSION, settle
from tests.record.watch.watching import watched
from unbraid.testing import Script, ScriptedModel, Spawn, bash, claude_launch, say, scenario

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc"),
]
TIMEOUT_SECONDS = 60


async def asked(env: dict[str, str], *words: str) -> Any:
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *words, "--json", env=env, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return json.loads(out)


async def looks(env: dict[str, str]) -> Any:
    """What `ps` lists, again and again."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            yield await asked(env, "ps")


async def until(env: dict[str, str], true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The one run that there is, when it is so."""
    async with aclosing(looks(env)) as rows_seen:
        async for rows in rows_seen:
            if rows and true(rows[0]):
                (row,) = rows
                return dict(row)
    raise AssertionError("it was never so")


def published(home: Path) -> dict[str, Any]:
    """What Claude Code says of its one process."""
    (path,) = (home / "claude" / "sessions").glob("*.json")
    entry: dict[str, Any] = json.loads(path.read_text())
    return entry


@contextmanager
def its_shells_ended(awaited: Path) -> Iterator[None]:
    """Shells outlive a CLI that is killed: they end when there is what they wait for."""
    try:
        yield
    finally:
        awaited.touch()


async def test_a_session_that_waits_for_a_person_and_is_killed(tmp_path: Path) -> None:
    cli = cli_of("claude", VERSION)
    with ScriptedModel(scenario("permission")) as model:
        launch = claude_launch(
            cli, model.url, tmp_path, ["--permission-mode", "default"], asks=True
        )
        settle(launch, tmp_path)
        async with watched(tmp_path), terminal(launch.argv, launch.env, launch.cwd) as screen:
            await screen.until("/effort")
            screen.type("[[main]] Go.")
            await screen.until("[[main]]Go.")
            screen.type("\r")
            await screen.until("Do you want to proceed?")
            # What the process publishes is known before the log has the call that it waits for.
            row = await until(launch.env, lambda row: "tool" in (row.get("waiting") or {}))
            said = published(tmp_path)
            assert (said["status"], said["sessionId"]) == ("waiting", row["session_id"])
            since = said["statusUpdatedAt"]
            assert row["waiting"] == {"for": "permission", "since": since, "tool": "Bash"}
            tree = await asked(launch.env, "tree", row["run"])
            assert (tree["status"], tree["waiting"]) == ("waiting", row["waiting"])

            screen.type("\r")  # yes
            await screen.until("And this?")
            row = await until(launch.env, lambda row: (row["waiting"] or {}).get("tool") == "Write")
            assert row["waiting"]["for"] == "permission"
            screen.type("\x1b")  # no
            row = await until(launch.env, lambda row: (row["waiting"] or {}).get("for") == "prompt")
            assert published(tmp_path)["status"] == "idle"
            screen.process.send_signal(signal.SIGKILL)
            # The person's no has interrupted what it did; nobody has asked anything since.
            ended = await until(launch.env, lambda row: row["status"] not in ("working", "waiting"))
            assert (ended["run"], ended["status"]) == (row["run"], "interrupted")
            tree = await asked(launch.env, "tree", row["run"])
            assert tree["status"] == ended["status"]


async def test_a_session_that_is_killed_while_its_agents_work(tmp_path: Path) -> None:
    cli, long = cli_of("claude", VERSION), "until [ -e never ]; do sleep 0.1; done"
    spawns = [Spawn("a", background=True), Spawn("b", background=True)]
    script = Script(
        {
            "main": [say("Two of them.", *spawns), say("They are at work."), say("Never said.")],
            "a": [say("a works", bash(long))],
            "b": [say("b works", bash(long))],
        },
        "two-at-work",
    )
    with ScriptedModel(script) as model, ExitStack() as stack:
        launch = claude_launch(cli, model.url, tmp_path)
        settle(launch, tmp_path)
        stack.enter_context(its_shells_ended(launch.cwd / "never"))
        async with watched(tmp_path), terminal(launch.argv, launch.env, launch.cwd) as screen:
            await screen.until("bypass permissions on")
            screen.type("[[main]] Go.")
            await screen.until("[[main]]Go.")
            screen.type("\r")
            await screen.until("They are at work.")
            row = await until(launch.env, lambda row: row["agents"] == 3)
            tree = await asked(launch.env, "tree", row["run"])
            assert [child["status"] for child in tree["children"]] == ["working", "working"]
            assert row["status"] == "working", "somebody works"
            screen.process.send_signal(signal.SIGKILL)
            ended = await until(launch.env, lambda row: row["status"] not in ("working", "waiting"))
            assert ended["status"] == "orphaned"
            tree = await asked(launch.env, "tree", row["run"])
            found = [tree["status"], *(child["status"] for child in tree["children"])]
            assert found == ["orphaned"] * 3
