"""Commands steer runs in the same way on one machine and on a log that machines share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.control.steered_run import SteeredRun
from unbraid.agents.control_port import AnswerDetails
from unbraid.control.controllers import Controllers
from unbraid.control.processes import OtherProcesses
from unbraid.control.reachable_runs import LocalRuns, ReachableRuns, SharedRuns, reachable_runs
from unbraid.control.sockets import SteeringRequest, steerable
from unbraid.errors import CallerError


def local_runs(home: Path) -> ReachableRuns:
    return LocalRuns(home)


def shared_runs(home: Path) -> ReachableRuns:
    return SharedRuns(Controllers(OtherProcesses(home)))


@pytest.mark.parametrize("runs_of", [local_runs, shared_runs])
async def test_a_run_is_steered_wherever_it_is(
    runs_of: Callable[[Path], ReachableRuns], tmp_path: Path
) -> None:
    steered, runs = SteeredRun("far", refused=["cancel"]), runs_of(tmp_path)
    async with steerable(tmp_path, steered):
        await runs.steer("far", SteeringRequest("message", "go on"))
        with pytest.raises(CallerError, match="it cannot cancel"):
            await runs.steer("far", SteeringRequest("cancel"))
        with pytest.raises(CallerError, match=r"run near .* steered"):
            await runs.steer("near", SteeringRequest("interrupt"))
        (asked,) = await runs.waiting()
        details = AnswerDetails(by="me")
        await runs.answer(asked.request_id, "deny", message="no", details=details)
        with pytest.raises(CallerError, match="no pending permission request other"):
            await runs.answer("other", "allow", message=None, details=details)
        await runs.attend("me", 0)
    assert steered.asked == [("message", "go on"), ("answer", "q1", "deny", "no")]
    assert steered.by == "me"


async def test_a_log_of_one_machine_is_not_opened(tmp_path: Path) -> None:
    """A run can be steered while its log cannot be used."""
    (tmp_path / "log.db").write_text("not a log")
    steered = SteeredRun("far")
    env = {"UNBRAID_HOME": str(tmp_path)}
    async with steerable(tmp_path, steered), reachable_runs(env) as runs:
        await runs.steer("far", SteeringRequest("interrupt"))
    assert steered.asked == [("interrupt",)]
