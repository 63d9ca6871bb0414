"""Runs of other processes, steered through their sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.steered_run import SteeredRun
from unbraid.agents.control_port import VERBS, UnknownRequest
from unbraid.control.controllers import Controllers, NotControlled
from unbraid.control.processes import OtherProcesses
from unbraid.control.sockets import steerable
from unbraid.errors import CallerError


async def test_a_run_elsewhere_is_steered_like_one_of_ours(tmp_path: Path) -> None:
    steered = SteeredRun("far", refused=["cancel"])
    controllers = Controllers(OtherProcesses(tmp_path))
    async with steerable(tmp_path, steered):
        far = await controllers.find("far")
        assert far.verbs() == list(VERBS)
        await far.message("go on")
        await far.interrupt()
        await far.stop(3)
        with pytest.raises(CallerError, match="it cannot cancel"):
            await far.cancel()
        (asked,) = await controllers.waiting()
        await controllers.answer(asked.request_id, "deny", "no")
        assert controllers.pending() == []
    assert steered.asked == [
        ("message", "go on"), ("interrupt",), ("stop", 3), ("answer", "q1", "deny", "no"),
    ]  # fmt: skip
    with pytest.raises(CallerError):
        await far.message("anyone?")


async def test_one_that_lives_here_is_ours_alone(tmp_path: Path) -> None:
    here, there = SteeredRun("far"), SteeredRun("far")
    controllers = Controllers(OtherProcesses(tmp_path))
    controllers.register("far", here)
    async with steerable(tmp_path, there):
        assert await controllers.find("far") is here
        assert len(await controllers.waiting()) == 1
        await controllers.answer("q1", "allow", None)
    assert there.asked == []
    with pytest.raises(NotControlled):
        await controllers.find("nowhere")
    with pytest.raises(UnknownRequest):
        await controllers.answer("unheard", "allow", None)
