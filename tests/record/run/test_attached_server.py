"""`unbraid run` of an OpenCode that only talks to a server: the agents work over there."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.record.run.agents import clean, cli_of, logged, play, verdict
from unbraid import events as e
from unbraid.testing import ScriptedModel, assert_fleet, opencode_launch, scenario
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

LISTENING = re.compile(rb"listening on (http://\S+)")
GO = "[[main]] Go."


@contextlib.asynccontextmanager
async def served(
    version: str, model: ScriptedModel, home: Path, *, asks: bool
) -> AsyncIterator[str]:
    """The address of a server."""
    serve = ["serve", "--hostname", "127.0.0.1", "--port", "0"]
    launch = opencode_launch(cli_of("opencode", version), model.url, home, serve, asks=asks)
    child = await Child.start(launch.argv, launch.env, launch.cwd)
    try:
        found = None
        async with asyncio.timeout(60):
            async for _, line in child.lines():
                if found := LISTENING.search(line):
                    break
        assert found is not None, child.stderr
        yield found[1].decode()
    finally:
        await child.stop()


@pytest.mark.parametrize(("version", "name"), [("1.2.27", "single"), ("1.18.33", "permission")])
async def test_every_block_once(version: str, name: str, tmp_path: Path) -> None:
    """Nobody can answer what it asks: `opencode run` refuses by itself, attached or not."""
    script, asks = scenario(name), name == "permission"
    with ScriptedModel(script) as model:
        async with served(version, model, tmp_path, asks=asks) as url:
            args = ["run", "--attach", url, "--model", "scripted/one", GO]
            recording = await play(
                f"opencode {version}", script, tmp_path, args, asks=asks, model=model
            )
    (events,) = (await logged(tmp_path)).values()
    assert_fleet(events)
    clean(verdict(recording, events, tmp_path / "recording"))
    results = [event.ok for event in events if isinstance(event, e.FleetToolResult)]
    assert results == [not asks]
