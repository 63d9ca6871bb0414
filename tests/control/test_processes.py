"""Runs of other processes, steered through their sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.agents.control_port import VERBS, AnswerDetails, PermissionRequest
from unbraid.control.controllers import Controllers, NotControlled, UnknownRequest
from unbraid.control.processes import OtherProcesses
from unbraid.control.sockets import steerable
from unbraid.errors import CallerError


class OtherRuns:
    """A run that notes what it was told."""

    run = "far"

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    async def message(self, text: str) -> None:
        self.told.append(("message", text))

    async def interrupt(self) -> None:
        self.told.append(("interrupt",))

    async def cancel(self) -> None:
        raise CallerError("not now")

    async def stop(self, stream_id: int) -> None:
        self.told.append(("stop", stream_id))

    def verbs(self) -> list[str]:
        return list(VERBS)

    def pending(self) -> list[PermissionRequest]:
        return [PermissionRequest("far", "asked", "Bash", {"command": "ls"})]

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        self.told.append((request_id, behavior, message))


async def test_a_run_elsewhere_is_steered_like_one_of_ours(tmp_path: Path) -> None:
    steered, controllers = OtherRuns(), Controllers(OtherProcesses(tmp_path))
    async with steerable(tmp_path, steered):
        far = await controllers.find("far")
        assert far.verbs() == list(VERBS)
        await far.message("go on")
        await far.interrupt()
        await far.stop(3)
        with pytest.raises(CallerError, match="not now"):
            await far.cancel()
        (asked,) = await controllers.waiting()
        await controllers.answer(asked.request_id, "deny", "no")
        assert controllers.pending() == []
    assert steered.told == [
        ("message", "go on"), ("interrupt",), ("stop", 3), ("asked", "deny", "no"),
    ]  # fmt: skip
    with pytest.raises(CallerError):
        await far.message("anyone?")


async def test_one_that_lives_here_is_ours_alone(tmp_path: Path) -> None:
    here, there = OtherRuns(), OtherRuns()
    controllers = Controllers(OtherProcesses(tmp_path))
    controllers.register("far", here)
    async with steerable(tmp_path, there):
        assert await controllers.find("far") is here
        assert len(await controllers.waiting()) == 1
        await controllers.answer("asked", "allow", None)
    assert there.told == []
    with pytest.raises(NotControlled):
        await controllers.find("nowhere")
    with pytest.raises(UnknownRequest):
        await controllers.answer("unheard", "allow", None)
