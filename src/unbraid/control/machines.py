"""Steering runs of other machines that share our log: the same requests as between processes of one
machine, asked over the log's own connection.

Each process answers for the runs that it steers itself. A process that asks may do what its
credential of the log allows; a server asks on behalf of others only what their tokens allow.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.agents.control_port import Controller
from unbraid.control.controllers import AttendedRuns, Controllers, OtherRuns, RunNotes
from unbraid.control.processes import ForwardingController, OtherProcesses
from unbraid.control.sockets import SteeringReply, SteeringRequest, carry_out, replies_of
from unbraid.errors import CallerError
from unbraid.log.port import Log, MachineRequests
from unbraid.translate.notes import RunNote


class MachineQuestion(Struct):
    """A request to one of the runs of a process; without one, what all of them are doing. Without a
    run: that a person answers (`attend`).
    """

    run: str | None = None
    request: SteeringRequest | None = None


_question = msgspec.json.Decoder(MachineQuestion).decode
_replies = msgspec.json.Decoder(list[SteeringReply]).decode
_encode = msgspec.json.Encoder().encode


class OtherMachines:
    """The runs of the machines that share a log."""

    def __init__(self, requests: MachineRequests) -> None:
        self._requests = requests

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of their runs, as they are now."""
        found: dict[str, Controller] = {}
        for address, data in (await self._requests.ask_all(_encode(MachineQuestion()))).items():
            try:
                replies = _replies(data)
            except msgspec.MsgspecError:
                continue  # of another version
            for reply in replies:
                found[reply.run] = self._controller(address, reply)
        return found

    async def attend(self, who: str, seconds: float) -> None:
        """Informs all of them that a person answers here for so long."""
        request = SteeringRequest("attend", who, seconds=seconds)
        await self._requests.ask_all(_encode(MachineQuestion(request=request)))

    def _controller(self, address: str, about: SteeringReply) -> ForwardingController:
        async def steer(request: SteeringRequest) -> None:
            question = _encode(MachineQuestion(about.run, request))
            try:
                (reply,) = _replies(await self._requests.ask(address, question))
            except CallerError as error:
                raise CallerError(f"run {about.run} was not reached: {error}") from None
            except (msgspec.MsgspecError, ValueError):
                raise CallerError(
                    f"run {about.run}: it runs an incompatible version of unbraid"
                ) from None
            if reply.error is not None:
                raise CallerError(reply.error)

        return ForwardingController(about, steer)


class AllOtherRuns:
    """Several places at which runs are steered; the first that has a run counts."""

    def __init__(self, *places: OtherRuns) -> None:
        self._places = places

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of all of them."""
        found: dict[str, Controller] = {}
        for place in self._places:
            found = {**await place.controllers(), **found}
        return found

    async def attend(self, who: str, seconds: float) -> None:
        """Informs all of them that a person answers here for so long."""
        for place in self._places:
            if isinstance(place, AttendedRuns):
                await place.attend(who, seconds)

    async def note(self, run: str, note: RunNote) -> bool:
        """Lets the first of them that records a run put a note into its log. Returns whether one
        does.
        """
        for place in self._places:
            if isinstance(place, RunNotes) and await place.note(run, note):
                return True
        return False


def steered_elsewhere(home: Path, log: Log) -> OtherRuns:
    """Returns what steers the runs of other processes, and of other machines that share the log."""
    if (requests := log.machine_requests()) is None:
        return OtherProcesses(home)
    return AllOtherRuns(OtherProcesses(home), OtherMachines(requests))


@asynccontextmanager
async def answering_machines(log: Log | None, controllers: Controllers) -> AsyncIterator[None]:
    """Lets other machines steer the runs of this process while the block runs, if the log is one
    that they share.
    """
    requests = None if log is None else log.machine_requests()
    if requests is None:
        yield
        return

    async def answer(data: bytes) -> bytes:
        try:
            question = _question(data)
        except msgspec.MsgspecError:
            return _encode(
                [SteeringReply(error="the request is of an incompatible version of unbraid")]
            )
        own = controllers.own()
        if question.request is not None and question.request.verb == "attend":
            controllers.attendance.attend(question.request.text or "", question.request.seconds)
            return _encode(list[SteeringReply]())
        if question.request is None or question.run is None:
            return _encode(await replies_of(own))
        if question.run not in own:
            return _encode(
                [SteeringReply(error=f"run {question.run} is not steered here any more")]
            )
        return _encode([await carry_out(question.run, own[question.run], question.request)])

    async with requests.answering(answer):
        yield
