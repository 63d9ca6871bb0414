"""Claude Code as a person uses it, in a terminal, with `unbraid run` in front of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.block_rows import CLEAN
from tests.clis.spending import OWN_REQUEST
from tests.record.run.agents import UNBRAID, cli_of, in_its_time, log_path, logged, verdict
from tests.record.run.terminal import Terminal, terminal
from unbraid.fold.tree import Tree
from unbraid.log import SqliteLog
from unbraid.testing import Recording, ScriptedModel, assert_fleet, claude_launch, scenario
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


async def enter(screen: Terminal, words: str) -> None:
    """Types a line, and sends it as soon as all of it is drawn."""
    screen.type(words)
    await screen.until(words)
    screen.type("\r")


async def statuses(log: SqliteLog, *wanted: str) -> None:
    """Waits until the runs have these statuses, the newest first, and that one its answer."""
    async with asyncio.timeout(60):
        async for _ in log.follow_all(0):
            runs = await log.runs()
            if [run.status for run in runs] == list(wanted) and runs[0].usage.input_tokens:
                return


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
            await enter(screen, "[[main]] Go.")
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
            await enter(screen, "/rename Mine alone")
            async with asyncio.timeout(60):
                async for batch in log.follow_all(0):
                    if any(b'"title":"Mine alone"' in entry.data for entry in batch):
                        break
            recording.truth = {**model.truth, "began_ms": model.began_ms}
            # What follows is a session of its own, and so is its run; and whoever goes back to the
            # first one goes on with it.
            await enter(screen, "/clear")
            await enter(screen, "[[main]] Again.")
            await statuses(log, "waiting", "done")
            shown = screen.words.count("Midcameback.")
            await enter(screen, f"/resume {run.session_id}")
            async with asyncio.timeout(60):
                while screen.words.count("Midcameback.") == shown:
                    await screen.read()
            await enter(screen, "[[main]] And back.")
            await statuses(log, "waiting", "done", "done")
            await enter(screen, "/exit")
            assert await screen.end() == 0
    back, later, run = await log.runs()
    assert (run.title, run.cwd) == ("Mine alone", str(launch.cwd))
    assert back.session_id == run.session_id != later.session_id
    for each in (back, later):
        assert (each.status, each.cwd, each.agents) == ("done", str(launch.cwd), 1)
        assert each.usage.input_tokens == OWN_REQUEST.input
    asked = [each.usage.input_tokens for each in (back, later, run)]
    assert sum(asked) == OWN_REQUEST.input * len(model.requests)
    await log.close()
    events = (await logged(tmp_path))[run.run]
    assert_fleet(events)
    assert {node.status for node in Tree(events).nodes.values()} == {"done"}
    in_its_time(recording, events)
    assert verdict(recording, events, tmp_path / "recording")._replace(disordered=[]) == CLEAN
