"""The bus: one request is carried out on a run, wherever the run is.

A run is steered by the process that has its controller. Every process of ours answers the same
requests about its runs, over channels that only carry bytes: the sockets of this machine, and the
connection of a log that machines share. A run that is reached over a channel is a controller here,
too, which passes every request on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.agents.control_port import (
    AnswerDetails,
    Attendance,
    Controller,
    SteeringRequest,
    UnknownRequest,
)
from unbraid.errors import CallerError, UnbraidError
from unbraid.log.engines import configured_log, engine_of, opened_log
from unbraid.log.port import Log, MachineRequests
from unbraid.read.notes import RunNote
from unbraid.system.home import data_folder
from unbraid.system.sockets import SocketChannel


class NotControlled(CallerError):
    """No process that can be reached from here steers the run."""


class SteeringReply(Struct, omit_defaults=True):
    """The result of a request, or what a run can be asked to do. `held` are its `held_requests`.
    `is_unknown`: the error is that no such permission request waits.
    """

    run: str = ""
    error: str | None = None
    verbs: list[str] = msgspec.field(default_factory=list)
    held: list[str] | None = None
    is_unknown: bool = False


_decode_request = msgspec.json.Decoder(SteeringRequest).decode
_decode_replies = msgspec.json.Decoder(list[SteeringReply]).decode
_encode = msgspec.json.Encoder().encode


class ForwardedRun(Controller):
    """A run of another process, with what could be asked of it when that was last heard of."""

    def __init__(
        self, about: SteeringReply, send: Callable[[SteeringRequest], Awaitable[SteeringReply]]
    ) -> None:
        self._about, self._send = about, send

    def verbs(self) -> list[str]:
        """Returns what could be asked of its agent."""
        return self._about.verbs

    def held_requests(self) -> list[str] | None:
        """Returns the requests that alone could be answered."""
        return self._about.held

    async def carry_out(self, request: SteeringRequest) -> None:
        """Has a request carried out there."""
        reply = await self._send(msgspec.structs.replace(request, run=self._about.run))
        if reply.is_unknown:
            raise UnknownRequest(request.request_id)
        if reply.error is not None:
            raise CallerError(reply.error)


class OtherRuns:
    """Runs that something other than this process steers; by default, there are none."""

    async def controllers(self) -> Mapping[str, Controller]:
        """Returns the controllers there are now, by run."""
        return {}

    async def attend(self, who: str, seconds: float) -> None:
        """Informs those who hold requests that a person answers here for so long."""

    async def note(self, run: str, note: RunNote) -> bool:
        """Has a note put into the log of a run by whoever records it. Returns whether one does."""
        return False


# Puts a note into the log of a run; returns whether the run is recorded by what offers this.
RunNotes = Callable[[str, RunNote], Awaitable[bool]]


class Controllers:
    """The controllers of the runs of this process, and of those that live elsewhere."""

    def __init__(self, elsewhere: OtherRuns | None = None) -> None:
        self._by_run: dict[str, Controller] = {}
        self._elsewhere = elsewhere or OtherRuns()
        self._notes: list[RunNotes] = []
        self.attendance = Attendance()

    def register(self, run: str, controller: Controller) -> None:
        """Adds a run that can be steered."""
        self._by_run[run] = controller

    def unregister(self, run: str) -> None:
        """Removes a run that is over."""
        self._by_run.pop(run, None)

    def own(self) -> dict[str, Controller]:
        """Returns the controllers of the runs of this process, by run."""
        return dict(self._by_run)

    async def everywhere(self) -> dict[str, Controller]:
        """Returns all controllers there are, by run."""
        return {**await self._elsewhere.controllers(), **self._by_run}

    async def find(self, run: str) -> Controller:
        """Returns the controller of a run, wherever it lives, or NotControlled."""
        found = self._by_run.get(run) or (await self._elsewhere.controllers()).get(run)
        if found is None:
            raise NotControlled(f"run {run} cannot be steered: no process of unbraid has it")
        return found

    async def steer(
        self,
        run: str,
        verb: str,
        text: str | None = None,
        *,
        stream_id: int = 0,
        request_id: str = "",
        behavior: str = "",
        details: AnswerDetails | None = None,
    ) -> None:
        """Has a request carried out on a run, wherever it lives."""
        request = SteeringRequest(verb, text, stream_id, request_id, behavior, details)
        await (await self.find(run)).carry_out(request)

    # --- people who answer, and notes in the log ---

    async def attend(self, who: str, seconds: float) -> None:
        """Notes that a person answers permission requests here, for so long. Until then, requests
        are held, too, that are not shown in a terminal meanwhile. For 0 seconds: no longer.
        """
        self.attendance.attend(who, seconds)
        await self._elsewhere.attend(who, seconds)

    def add_notes(self, notes: RunNotes) -> None:
        """Adds what records runs in this process."""
        self._notes.append(notes)

    async def note(self, run: str, note: RunNote) -> bool:
        """Puts a note into the log of a run, whichever process of ours records it; returns whether
        one does.
        """
        return await self._note_here(run, note) or await self._elsewhere.note(run, note)

    async def _note_here(self, run: str, note: RunNote) -> bool:
        for notes in self._notes:
            if await notes(run, note):
                return True
        return False

    # --- what other processes ask ---

    def report(self) -> list[SteeringReply]:
        """Returns what can be asked of each run of this process."""
        return [
            SteeringReply(run, verbs=each.verbs(), held=each.held_requests())
            for run, each in self._by_run.items()
        ]

    async def carry_out(self, request: SteeringRequest) -> SteeringReply:
        """Carries out a request on a run of this process. Returns the result."""
        run = request.run
        held = self._by_run.get(run)
        if held is None:
            return SteeringReply(run, f"run {run} is not steered here any more")
        try:
            await held.carry_out(request)
        except UnbraidError as error:
            return SteeringReply(run, str(error), is_unknown=isinstance(error, UnknownRequest))
        return SteeringReply(run)

    async def handle(self, request: SteeringRequest) -> list[SteeringReply]:
        """Returns what this process answers to another of ours."""
        match request.verb:
            case "runs":
                return self.report()
            case "attend":
                self.attendance.attend(request.text or "", request.seconds)
                return []
            case "note":
                run = request.run
                noted = request.note is not None and await self._note_here(run, request.note)
                return [SteeringReply(run, None if noted else f"run {run} is not recorded here")]
            case _:
                return [await self.carry_out(request)]

    @asynccontextmanager
    async def answering(self, *channels: MachineRequests) -> AsyncIterator[None]:
        """Lets other processes steer the runs of this one while the block runs."""

        async def answer(data: bytes) -> bytes:
            try:
                request = _decode_request(data)
            except msgspec.MsgspecError:
                problem = "the request is of an incompatible version of unbraid"
                return _encode([SteeringReply(error=problem)])
            return _encode(await self.handle(request))

        async with AsyncExitStack() as stack:
            for channel in channels:
                await stack.enter_async_context(channel.answering(answer))
            yield


class OtherProcesses(OtherRuns):
    """The runs of all processes that answer on some channels; the first channel that has a run
    counts.
    """

    def __init__(self, *channels: MachineRequests) -> None:
        self._channels = channels

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of their runs, as they are now."""
        found: dict[str, Controller] = {}
        for channel, address, replies in await self._ask_all(SteeringRequest("runs")):
            for reply in replies:
                if reply.run and reply.error is None:
                    send = partial(_send, channel, address)
                    found.setdefault(reply.run, ForwardedRun(reply, send))
        return found

    async def attend(self, who: str, seconds: float) -> None:
        """Informs all of them that a person answers here for so long."""
        await self._ask_all(SteeringRequest("attend", who, seconds=seconds))

    async def note(self, run: str, note: RunNote) -> bool:
        """Has the one of them that records a run put a note into its log."""
        answers = await self._ask_all(SteeringRequest("note", run=run, note=note))
        return any(reply.error is None for _, _, replies in answers for reply in replies)

    async def _ask_all(
        self, request: SteeringRequest
    ) -> list[tuple[MachineRequests, str, list[SteeringReply]]]:
        data = _encode(request)
        found: list[tuple[MachineRequests, str, list[SteeringReply]]] = []
        asked = await asyncio.gather(*(channel.ask_all(data) for channel in self._channels))
        for channel, answers in zip(self._channels, asked, strict=True):
            for address, answer in answers.items():
                try:
                    found.append((channel, address, _decode_replies(answer)))
                except msgspec.MsgspecError:
                    continue  # of another version
        return found


async def _send(channel: MachineRequests, address: str, request: SteeringRequest) -> SteeringReply:
    try:
        (reply,) = _decode_replies(await channel.ask(address, _encode(request)))
    except CallerError as error:
        raise CallerError(f"run {request.run} was not reached: {error}") from None
    except (msgspec.MsgspecError, ValueError):
        problem = "it runs an incompatible version of unbraid"
        raise CallerError(f"run {request.run}: {problem}") from None
    return reply


def channels_of(log: Log | None, home: Path | None = None) -> list[MachineRequests]:
    """Returns the channels to other processes of ours: those of this machine, by `home`, our
    folder, and those that share the log.
    """
    here = None if home is None else SocketChannel(home)
    shared = None if log is None else log.machine_requests()
    return [channel for channel in (here, shared) if channel is not None]


@asynccontextmanager
async def reachable_runs(env: Mapping[str, str]) -> AsyncIterator[Controllers]:
    """Yields the runs that a command can steer: those of this machine, or of all machines that
    share its log. The log of one machine is not opened, so that a run can be steered even if the
    log cannot be used.
    """
    home = data_folder(env)
    async with AsyncExitStack() as stack:
        shared = engine_of(configured_log(env)).shared
        log = await stack.enter_async_context(opened_log(env=env)) if shared else None
        yield Controllers(OtherProcesses(*channels_of(log, home)))
