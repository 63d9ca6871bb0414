"""Agents that are gone beside a watch: killed, or at their end."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.record.run.agents import TIMEOUT_SECONDS, arguments, cli_of, log_path
from tests.record.watch.watching import watched
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.testing import Script, ScriptedModel, Spawn, bash, say
from unbraid.testing.launch import Launch, claude_launch, opencode_launch
from unbraid.testing.process import Child

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc"),
]

VERSIONS = ("2.1.197", "2.1.325")  # and OpenCode, of which more: test_ended_opencode.py
SLOW = say("A long way to go. " * 200, chunk_chars=8, chunk_delay_seconds=0.05)
SCRIPT = Script(
    {
        "main": [say("One helper.", Spawn("kid", background=False)), say("Never said.")],
        "kid": [SLOW],
    },
    "killed",
)


@pytest.mark.parametrize("version", [*VERSIONS, "opencode 1.18.33"])
async def test_a_killed_agent_leaves_orphans_not_a_live_run(version: str, tmp_path: Path) -> None:
    with ScriptedModel(SCRIPT) as model:
        launch = launched(version, model, tmp_path)
        async with asyncio.timeout(TIMEOUT_SECONDS), watched(tmp_path):
            child = await Child.start(launch.argv, launch.env, launch.cwd)
            try:
                await model.reached("kid", 0, chunks=10)
                await heard(tmp_path, b"One helper.")
                child.kill()
                await child.wait()
            finally:
                await child.stop()
            events = await to_the_end(tmp_path)
    assert isinstance(events[-1], e.Done)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    ends = {event.stream_id: event for event in events if isinstance(event, e.StreamEnd)}
    assert [ends[start.stream_id].reason for start in starts] == ["orphaned", "orphaned"]


@pytest.mark.parametrize("version", [*VERSIONS, "opencode 1.2.27"])
async def test_an_agent_that_has_ended_is_over_beside_a_watch(version: str, tmp_path: Path) -> None:
    script = Script({"main": [say("At work.", bash("sleep 4")), say("That was all.")]}, "ended")
    with ScriptedModel(script) as model:
        launch = launched(version, model, tmp_path)
        async with asyncio.timeout(TIMEOUT_SECONDS), watched(tmp_path):
            child = await Child.start(launch.argv, launch.env, launch.cwd)
            try:
                assert await child.wait() == 0
            finally:
                await child.stop()
            # The watch still runs, and would wait for half an hour of silence.
            events = await to_the_end(tmp_path)
    done = events[-1]
    assert isinstance(done, e.Done)
    assert done.ok
    said = "".join(event.delta for event in events if isinstance(event, e.Text))
    assert said == "At work.That was all."


def launched(version: str, model: ScriptedModel, home: Path) -> Launch:
    """The agent as a person starts it, who knows nothing of us."""
    name, _, number = version.rpartition(" ")
    make = opencode_launch if name else claude_launch
    cli = cli_of(name or "claude", number)
    return make(cli, model.url, home, arguments(version, "[[main]] Go."))


async def heard(home: Path, words: bytes) -> None:
    """Wait until somebody's words are in the log."""
    log = await SqliteLog.open(log_path(home))
    try:
        async for batch in log.follow_all(0):
            if any(words in entry.data for entry in batch):
                return
    finally:
        await log.close()


async def to_the_end(home: Path) -> list[e.FleetEvent]:
    """Follow the only run until it is over."""
    log = await SqliteLog.open(log_path(home))
    try:
        async for batch in log.follow_all(0):
            for entry in batch:
                if entry.type == "done":
                    read = await log.read(entry.run, 0, entry.seq + 1)
                    return [e.decode_event(each.data) for each in read]
        raise AssertionError("the log ended")
    finally:
        await log.close()
