"""A process together with its transcripts, as events; and a session's files, as they grow."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS, judge
from tests.record.run.agents import TIMEOUT_SECONDS, arguments, cli_of
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import Writer, append
from unbraid import process_events, session_events
from unbraid.errors import CallerError, SourceError
from unbraid.events import Text
from unbraid.log import machine_log
from unbraid.testing import Recording, ScriptedModel, scenario
from unbraid.testing.launch import claude_launch

RECORDED = RECORDINGS / "deep-fan.plain.2.1.197"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, **environment(tmp_path)}


async def test_what_stdout_hides_comes_from_the_transcripts(env: dict[str, str]) -> None:
    env["CLAUDE_CONFIG_DIR"] = str(RECORDED)
    stdout = str(RECORDED / "stdout.ndjson")
    events = [event async for event in process_events(["cat", stdout], env=env)]
    assert judge(RECORDED, events, full=True) == ([], [], [], [])
    assert max(event.depth for event in events) == 2
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].type == "done"


@pytest.mark.cli
async def test_a_real_agent_and_its_sub_agents(tmp_path: Path) -> None:
    cli = cli_of("claude", "2.1.325")
    with ScriptedModel(scenario("nested")) as model:
        launch = claude_launch(cli, model.url, tmp_path, arguments("2.1.325", "[[main]] Go."))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            following = process_events(launch.argv, env=launch.env, cwd=launch.cwd)
            events = [event async for event in following]
        recording = Recording("nested", "2.1.325", "plain", {})
        recording.truth = model.truth
    assert judge(recording.save(tmp_path / "saved"), events, full=True) == ([], [], [], [])


async def test_events_come_while_the_process_runs_and_who_leaves_ends_it(
    env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "lines").write_bytes((RECORDED / "stdout.ndjson").read_bytes())
    forever = "cat lines; echo $$ > pid; while :; do sleep 1; done"
    events = process_events(["sh", "-c", forever], env=env, cwd=tmp_path)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async for event in events:
            if isinstance(event, Text):
                break
        await events.aclose()  # type: ignore[attr-defined]
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


async def test_a_process_that_is_no_agent_gives_no_events(env: dict[str, str]) -> None:
    argv = [sys.executable, "-c", "print('words')"]
    assert [event async for event in process_events(argv, env=env)] == []
    with pytest.raises(SourceError):
        await anext(process_events(["no-such-program"], env=env))


async def test_a_session_is_followed_while_its_files_grow(env: dict[str, str]) -> None:
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    said: list[str] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async for event in session_events(writer.session[:8], env=env):
            if isinstance(event, Text):
                said.append(event.delta)
                if len(said) == 3:
                    break
                append(writer.main, writer.text(f"and {len(said) + 1}"))
    assert said == ["one", "and 2", "and 3"]
    assert not machine_log(env).exists()
    with pytest.raises(CallerError):
        await anext(session_events("nobody", env=env))
