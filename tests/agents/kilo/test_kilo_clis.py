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
ways = pytest.mark.parametrize("beside", [False, True], ids=["run", "watch"])


@ways
@every_version
async def test_a_fleet_of_kilo(version: str, beside: bool, tmp_path: Path) -> None:
    try:
        cli = clis.kilo(version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))
    prefix = () if beside else (UNBRAID, "run", "--")
    async with AsyncExitStack() as stack:
        if beside:
            await stack.enter_async_context(watched(tmp_path))
        model = stack.enter_context(ScriptedModel(scenario("fan-same-opening")))
        arguments = opencode_arguments("run", "[[main]] Go.")
        launch = opencode_launch(cli, model.url, tmp_path, arguments)
        child = await Child.start([*prefix, *launch.argv], launch.env, launch.cwd)
        stack.push_async_callback(child.stop)
        lines = [line async for _, line in child.lines()]
        assert await child.wait() == 0
        assert lines
        events = await _ended(tmp_path)
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
