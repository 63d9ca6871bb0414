"""Runs of other processes, steered over their sockets; and the requests that wait in them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.steer.steered_run import SteeredRun, append_request
from unbraid.agents.control_port import VERBS, AnswerDetails, SteeringRequest, UnknownRequest
from unbraid.errors import CallerError
from unbraid.fold.status import MAX_OPEN_REQUESTS
from unbraid.log import MemoryLog
from unbraid.steer.controllers import (
    Controllers,
    NotControlled,
    OtherProcesses,
    channels_of,
    reachable_runs,
)
from unbraid.steer.permissions import answer_request, answerable_requests
from unbraid.system import sockets
from unbraid.system.sockets import SocketChannel
from unbraid.testing.sample_runs import sample_run


def holding(*runs: SteeredRun) -> Controllers:
    """The controllers of a process that has these runs."""
    controllers = Controllers()
    for run in runs:
        controllers.register(run.run, run)
    return controllers


def elsewhere(home: Path) -> Controllers:
    """The controllers of a process that has no run."""
    return Controllers(OtherProcesses(SocketChannel(home)))


async def asking_log(*runs: str) -> MemoryLog:
    """A log in which these runs ask for permission."""
    log = MemoryLog()
    for run in runs:
        await log.append(run, sample_run(["x"])[:3])
        await append_request(log, run)
    return log


async def test_a_run_elsewhere_is_steered_like_one_of_ours(tmp_path: Path) -> None:
    steered, log = SteeredRun("far", refused=["cancel"]), await asking_log("far")
    controllers = elsewhere(tmp_path)
    async with holding(steered).answering(SocketChannel(tmp_path)):
        far = await controllers.find("far")
        assert far.verbs() == list(VERBS)
        await controllers.steer("far", "message", "go on")
        await controllers.steer("far", "interrupt")
        await controllers.steer("far", "stop", stream_id=3)
        with pytest.raises(CallerError, match="it cannot cancel"):
            await controllers.steer("far", "cancel")
        with pytest.raises(CallerError, match="only the main agent"):
            await controllers.steer("far", "message", "go on", stream_id=2)
        with pytest.raises(CallerError, match="unknown request: jump"):
            await controllers.steer("far", "jump")
        (waiting,) = (await answerable_requests(log, controllers)).requests
        assert (waiting.run, waiting.request_id, waiting.input) == ("far", "q1", {"command": "ls"})
        details = AnswerDetails(by="me")
        await answer_request(log, controllers, "q1", "deny", message="no", details=details)
        with pytest.raises(UnknownRequest):
            await answer_request(log, controllers, "other", "allow")
    assert steered.asked == [
        ("message", "go on"), ("interrupt",), ("stop", 3), ("answer", "q1", "deny", "no"),
    ]  # fmt: skip
    assert steered.by == "me"
    with pytest.raises(CallerError, match=r"run far was not reached: the process .* has ended"):
        await far.carry_out(SteeringRequest("message", "anyone?"))


async def test_one_that_lives_here_is_ours_alone(tmp_path: Path) -> None:
    here, there, log = SteeredRun("far"), SteeredRun("far"), await asking_log("far")
    controllers = elsewhere(tmp_path)
    controllers.register("far", here)
    async with holding(there).answering(SocketChannel(tmp_path)):
        assert await controllers.find("far") is here
        assert len((await answerable_requests(log, controllers)).requests) == 1
        await answer_request(log, controllers, "q1", "allow")
    assert (len(here.asked), there.asked) == (1, [])
    with pytest.raises(NotControlled, match=r"run nowhere .* steered"):
        await controllers.find("nowhere")


async def test_a_request_that_was_answered_meanwhile_is_unknown_from_everywhere(
    tmp_path: Path,
) -> None:
    class Over(SteeredRun):
        async def answer(self, request_id: str, *more: object, **named: object) -> None:
            raise UnknownRequest(request_id)

    log, controllers = await asking_log("far"), elsewhere(tmp_path)
    async with holding(Over("far")).answering(SocketChannel(tmp_path)):
        with pytest.raises(UnknownRequest, match="no pending permission request q1"):
            await answer_request(log, controllers, "q1", "allow")


async def test_only_what_can_be_answered_is_listed() -> None:
    log = await asking_log("deaf", "gone", "able")
    controllers = holding(SteeredRun("deaf", verbs=["cancel"]), SteeredRun("able"))
    found = await answerable_requests(log, controllers)
    assert [each.run for each in found.requests] == ["able"]
    for run in ("deaf", "gone"):
        with pytest.raises(UnknownRequest):
            await answer_request(log, controllers, "q1", "allow", run=run)


async def test_how_many_are_not_listed_is_said() -> None:
    log = await asking_log("r")
    for number in range(2, MAX_OPEN_REQUESTS + 3):
        await append_request(log, "r", f"q{number}")
    found = await answerable_requests(log, holding(SteeredRun("r")))
    assert (len(found.requests), found.unlisted) == (MAX_OPEN_REQUESTS, 2)


async def test_a_log_of_one_machine_is_not_opened(tmp_path: Path) -> None:
    """A run can be steered while its log cannot be used."""
    (tmp_path / "log.db").write_text("not a log")
    steered = SteeredRun("far")
    env = {"UNBRAID_HOME": str(tmp_path)}
    async with (
        holding(steered).answering(*channels_of(None, tmp_path)),
        reachable_runs(env) as runs,
    ):
        await runs.steer("far", "interrupt")
    assert steered.asked == [("interrupt",)]


async def test_several_of_one_process_answer(tmp_path: Path) -> None:
    channel = SocketChannel(tmp_path)
    one, two = holding(SteeredRun("one")), holding(SteeredRun("two"))
    async with one.answering(channel), two.answering(channel):
        assert sorted(await elsewhere(tmp_path).everywhere()) == ["one", "two"]
        await elsewhere(tmp_path).attend("me", 30)
        assert one.attendance.seconds > 0 < two.attendance.seconds
    assert await elsewhere(tmp_path).everywhere() == {}
    assert list((tmp_path / "control").iterdir()) == []


async def test_one_that_says_nothing_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MACHINE_REQUEST_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(sockets, "STEERING_ANSWER_TIMEOUT_SECONDS", 0.2)

    async def silent(question: bytes) -> bytes:
        await asyncio.Event().wait()
        return b""

    channel = SocketChannel(tmp_path)
    async with channel.answering(silent), holding(SteeredRun("r")).answering(channel):
        assert list(await elsewhere(tmp_path).everywhere()) == ["r"]
        (path,) = set((tmp_path / "control").iterdir()) - {
            Path(address) for address in await channel.ask_all(b'{"verb":"runs"}')
        }
        with pytest.raises(CallerError, match="no answer within"):
            await channel.ask(str(path), b"{}")


async def test_what_another_version_says_is_refused(tmp_path: Path) -> None:
    channel = SocketChannel(tmp_path)
    async with holding(SteeredRun("r")).answering(channel):
        (answer,) = (await channel.ask_all(b'{"run":null}')).values()
    assert b"incompatible version" in answer
