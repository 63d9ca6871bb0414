"""A bare `unbraid watch` beside real agents that know nothing of it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.live.agents import UNBRAID, cli_of, logged, play, verdict
from tests.said import CLEAN, up_to_the_cut
from unbraid import events as e
from unbraid.testing import record_claude, record_opencode
from unbraid.testing.launch import claude_launch

pytestmark = pytest.mark.cli

SCENARIOS = ("fan-same-opening", "fan-four", "nested", "deep-fan", "child-fails", "background")
TALKING = ("many-turns", "permission", "interrupt")
VERSIONS = ("1.0.128", "2.0.76", "2.1.325")
OPENCODE = [("1.2.27", "fan-four"), *(("1.18.33", name) for name in SCENARIOS)]
GO = "[[main]] Go."


@contextlib.asynccontextmanager
async def watched(home: Path) -> AsyncIterator[None]:
    """A watch of this home while the block runs; it ends after a last look."""
    env = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", home).env
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        # It has looked around, and is there.
        assert await process.stderr.readline() == b"unbraid: 0 sessions, 0 tokens\n"
        yield
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def whole(events: list[e.FleetEvent]) -> None:
    """What holds of a log whose run is not over."""
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert not any(isinstance(event, e.Done) for event in events)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("version", VERSIONS)
async def test_watch_sees_every_block_once(version: str, name: str, tmp_path: Path) -> None:
    async with watched(tmp_path):
        recording = await play(version, name, tmp_path, ["-p", GO], prefix=())
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    assert verdict(recording, events, tmp_path / "recording")._replace(disordered=[]) == CLEAN


@pytest.mark.parametrize("name", TALKING)
@pytest.mark.parametrize("version", VERSIONS)
async def test_watch_follows_a_conversation(version: str, name: str, tmp_path: Path) -> None:
    cli_of("claude", version)
    async with watched(tmp_path):
        recording = await record_claude(version, name, "stdin", tmp_path)
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    assert verdict(recording, events, tmp_path / "recording")._replace(disordered=[]) == CLEAN


@pytest.mark.parametrize(("version", "name"), OPENCODE)
async def test_watch_sees_opencode_and_its_children(
    version: str, name: str, tmp_path: Path
) -> None:
    args = ["run", "--model", "scripted/one", GO]
    async with watched(tmp_path):
        recording = await play(f"opencode {version}", name, tmp_path, args, prefix=())
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    assert verdict(recording, events, tmp_path / "recording") == CLEAN


# 1.2.27 never writes down what was cut off: only its server tells (see test_server.py).
@pytest.mark.parametrize(
    ("version", "name"),
    [("1.2.27", "many-turns"), ("1.2.27", "permission"), *(("1.18.33", name) for name in TALKING)],
)
async def test_watch_follows_a_conversation_with_opencode(
    version: str, name: str, tmp_path: Path
) -> None:
    """Somebody talks to its server; only its database tells us."""
    cli_of("opencode", version)
    async with watched(tmp_path):
        recording = await record_opencode(version, name, "serve", tmp_path)
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    if name == "interrupt":
        up_to_the_cut(recording, events)
    else:
        assert verdict(recording, events, tmp_path / "recording") == CLEAN


@pytest.mark.parametrize("version", ["2.0.76", "2.1.325"])
async def test_a_run_of_ours_is_not_written_twice(version: str, tmp_path: Path) -> None:
    async with watched(tmp_path):
        recording = await play(version, "fan-same-opening", tmp_path, ["-p", GO])
    ((run, events),) = (await logged(tmp_path)).items()
    assert "." not in run
    assert isinstance(events[-1], e.Done)
    assert verdict(recording, events, tmp_path / "recording") == CLEAN
