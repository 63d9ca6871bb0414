"""The real Kilo, against a scripted model: started by `unbraid run`, and beside a watch."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.launch.agents import UNBRAID, logged
from tests.said import joined, rows_of, told
from tests.watch.watching import watched
from unbraid import events as e
from unbraid.testing import KILO_VERSIONS, CliUnavailable, ScriptedModel, clis, scenario
from unbraid.testing.launch import opencode_arguments, opencode_launch
from unbraid.testing.process import Child

pytestmark = [pytest.mark.cli, pytest.mark.timeout(120)]

every_version = pytest.mark.parametrize("version", KILO_VERSIONS)


@every_version
async def test_a_fleet_of_kilo(version: str, tmp_path: Path) -> None:
    """One start for both: `unbraid run` has it, and a watch with a log of its own is beside it."""
    try:
        cli = clis.kilo(version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watched(tmp_path, apart=tmp_path / "apart"))
        model = stack.enter_context(ScriptedModel(scenario("fan-same-opening")))
        arguments = opencode_arguments("run", "[[main]] Go.")
        launch = opencode_launch(cli, model.url, tmp_path, arguments)
        argv = [UNBRAID, "run", "--", *launch.argv]
        child = await Child.start(argv, launch.env, launch.cwd)
        stack.push_async_callback(child.stop)
        lines = [line async for _, line in child.lines()]
        assert await child.wait() == 0
        assert lines
        logs = [await _ended(home) for home in (tmp_path, tmp_path / "apart")]
    for events in logs:
        begun = events[0]
        assert isinstance(begun, e.RequestReceived)
        assert begun.source == "kilo"
        assert Counter(joined(told(events))) == Counter(joined(rows_of(model.truth)))
        reasons = [x.reason for x in events if isinstance(x, e.StreamEnd)]
        assert reasons == ["completed"] * 3


async def _ended(home: Path) -> list[e.FleetEvent]:
    while True:
        runs = [each for each in (await logged(home)).values() if each]
        if runs and isinstance(runs[0][-1], e.Done):
            (events,) = runs
            return events
        await asyncio.sleep(0.2)
