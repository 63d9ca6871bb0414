"""Claude Code as a person uses it, in a terminal, with `unbraid run` in front of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.block_rows import CLEAN
from tests.clis.spending import OWN_REQUEST
from tests.invariants import check
from tests.launch.agents import UNBRAID, cli_of, in_its_time, log_path, logged, verdict
from tests.launch.terminal import terminal
from unbraid.fleet.tree import Tree
from unbraid.log import SqliteLog
from unbraid.testing import Recording, ScriptedModel, claude_launch, scenario
from unbraid.testing.launch import Launch

pytestmark = pytest.mark.cli

VERSION = "2.1.325"


def settle(launch: Launch, home: Path) -> None:
    """Answers to what it would ask a person at its first start."""
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    answers = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "bypassPermissionsModeAccepted": True,
        "customApiKeyResponses": {"approved": [launch.env["ANTHROPIC_API_KEY"][-20:]]},
        "projects": {str(launch.cwd): project},
    }
    config = home / "claude"
    config.mkdir(parents=True, exist_ok=True)
    (config / ".claude.json").write_text(json.dumps(answers))
    (config / "settings.json").write_text('{"skipDangerousModePermissionPrompt": true}')


async def test_it_has_the_terminal_and_we_have_its_words(tmp_path: Path) -> None:
    cli, script = cli_of("claude", VERSION), scenario("nested")
    recording = Recording("nested", VERSION, "plain", {})
    log = await SqliteLog.open(log_path(tmp_path))
    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, tmp_path)
        settle(launch, tmp_path)
        argv = [UNBRAID, "run", "--", *launch.argv]
        async with terminal(argv, launch.env, launch.cwd) as screen:
            await screen.until("bypass permissions on")
            screen.type("[[main]] Go.")
            await screen.until("[[main]]Go.")
            screen.type("\r")
            # It is drawn for the person, and in the log while the program is still there.
            await screen.until("Mid came back.")
            async with asyncio.timeout(60):
                async for batch in log.follow_all(0):
                    if any(b"Mid came back." in entry.data for entry in batch):
                        break
            assert screen.process.returncode is None
            await screen.until("End.")  # its helper works in the background, and reports later
            async with asyncio.timeout(60):
                async for _ in log.follow_all(0):
                    (run,) = await log.runs()
                    if run.status == "waiting" and run.agents == 3:
                        break
            assert run.waiting is not None
            assert run.waiting.what == "prompt"
            screen.type("/rename Mine alone")
            await screen.until("/renameMinealone")
            screen.type("\r")
            async with asyncio.timeout(60):
                async for batch in log.follow_all(0):
                    if any(b'"title":"Mine alone"' in entry.data for entry in batch):
                        break
            recording.truth = {**model.truth, "began_ms": model.began_ms}
            # What follows is a session of its own, and so is its run.
            for words in ("/clear", "[[main]] Again."):
                screen.type(words)
                await screen.until(words.replace(" ", ""))
                screen.type("\r")
            async with asyncio.timeout(60):
                async for _ in log.follow_all(0):
                    runs = await log.runs()
                    if [each.status for each in runs] == ["waiting", "done"]:
                        break
            screen.type("/exit")
            await screen.until("/exit")
            screen.type("\r")
            assert await screen.end() == 0
    later, run = await log.runs()
    assert (run.title, run.cwd) == ("Mine alone", str(launch.cwd))
    assert (later.status, later.cwd, later.agents) == ("done", str(launch.cwd), 1)
    asked = [run.usage.input_tokens, later.usage.input_tokens]
    assert sum(asked) == OWN_REQUEST.input * len(model.requests)
    assert asked[1] == OWN_REQUEST.input
    await log.close()
    events = (await logged(tmp_path))[run.run]
    check(events)
    assert {node.status for node in Tree(events).nodes.values()} == {"done"}
    in_its_time(recording, events)
    assert verdict(recording, events, tmp_path / "recording")._replace(disordered=[]) == CLEAN
