"""Steering a run that lives in another process of ours: one socket each, one line each way.

The sockets are in our own folder, which no other user may enter. A socket without a listener
belonged to a process that is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import msgspec
from msgspec import Struct

from unbraid.agents.attendance import Attendance
from unbraid.agents.control_port import (
    AnswerDetails,
    Controller,
    PermissionRequest,
    UnknownRequest,
    halt,
    send_message,
)
from unbraid.errors import CallerError, UnbraidError
from unbraid.system.home import make_private_folder
from unbraid.translate.notes import RunNote

FOLDER = "control"
ATTENDANCE = "attendance"
LIMIT = 16 << 20
# The shortest limit there is (macOS has it).
MAX_ADDRESS_BYTES = 104


class SteeringRequest(Struct, omit_defaults=True):
    """What a process is asked to do: message, interrupt, cancel, halt, stop, answer, or pending. Of
    a process that watches: attend, because it holds requests only while a person answers, for so
    many seconds; and note, to put a note into the log of a run that it records.
    """

    verb: str
    text: str | None = None
    stream_id: int = 0
    request_id: str = ""
    behavior: str = ""
    details: AnswerDetails | None = None
    seconds: float = 0.0
    run: str = ""
    note: RunNote | None = None


class SteeringReply(Struct, omit_defaults=True):
    """The result of a request, and what the run can be asked to do."""

    run: str = ""
    error: str | None = None
    verbs: list[str] = msgspec.field(default_factory=list)
    pending: list[PermissionRequest] = msgspec.field(default_factory=list)


class SteerableRun(Controller, Protocol):
    """A controller that knows its run."""

    @property
    def run(self) -> str:
        """The run's name, once it has one."""
        ...


@contextlib.asynccontextmanager
async def steerable(home: Path, controller: SteerableRun, name: str = "") -> AsyncIterator[None]:
    """Lets other processes steer this one while the block runs; one of its runs, by a `name`."""

    async def respond(request: SteeringRequest) -> SteeringReply:
        return await carry_out(controller.run, controller, request)

    async with _listening(home, name, respond):
        yield


@contextlib.asynccontextmanager
async def attendable(
    home: Path, attendance: Attendance, note: Callable[[str, RunNote], Awaitable[bool]]
) -> AsyncIterator[None]:
    """While the block runs, lets other processes declare that a person answers there, and put notes
    into the logs of runs that are recorded here (`note` returns whether a run is).
    """

    async def respond(request: SteeringRequest) -> SteeringReply:
        if request.verb == "attend":
            attendance.attend(request.text or "", request.seconds)
        noted = request.note is None or await note(request.run, request.note)
        return SteeringReply(error=None if noted else f"run {request.run} is not recorded here")

    async with _listening(home, ATTENDANCE, respond):
        yield


@contextlib.asynccontextmanager
async def _listening(
    home: Path, name: str, respond: Callable[[SteeringRequest], Awaitable[SteeringReply]]
) -> AsyncIterator[None]:
    path = home / FOLDER / f"{os.getpid()}{name and '.'}{name}.sock"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError):
            request = msgspec.json.decode(await reader.readline(), type=SteeringRequest)
            writer.write(msgspec.json.encode(await respond(request)) + b"\n")
            await writer.drain()
        writer.close()

    with contextlib.ExitStack() as stack:
        try:
            address = listening_address(path, stack)
            server = await asyncio.start_unix_server(serve, address, limit=LIMIT)
        except OSError:
            yield  # nowhere to listen: then it cannot be steered
            return
        async with server:
            yield


def listening_address(path: Path, stack: contextlib.ExitStack) -> Path:
    """Returns where to listen: at the path, or where a link at the path leads if that is
    too long.
    """
    make_private_folder(path.parent)
    path.unlink(missing_ok=True)
    stack.callback(path.unlink, missing_ok=True)
    if len(os.fsencode(path)) < MAX_ADDRESS_BYTES:
        return path
    short = Path(stack.enter_context(TemporaryDirectory(prefix="unbraid-"))) / "s"
    path.symlink_to(short)
    return short


def peer_process(connected: socket.socket) -> int:
    """Returns the process at the other end of a socket; 0 where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return 0
    pid: int
    pid, _, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, 12))
    return pid


async def carry_out(run: str, controller: Controller, request: SteeringRequest) -> SteeringReply:
    """Carries out a request; returns the result."""
    reply = SteeringReply(run, verbs=controller.verbs())
    try:
        match request.verb:
            case "message":
                await send_message(controller, request.stream_id, request.text or "")
            case "interrupt":
                await controller.interrupt()
            case "cancel":
                await controller.cancel()
            case "halt":
                await halt(controller)
            case "stop":
                await controller.stop(request.stream_id)
            case "answer":
                await controller.answer(
                    request.request_id, request.behavior, request.text, details=request.details
                )
            case "pending":
                reply.pending = controller.pending()
            case _:
                reply.error = f"unknown request: {request.verb}"
    except UnbraidError as error:
        reply.error = str(error)
    return reply


async def replies_of(controllers: Mapping[str, Controller]) -> list[SteeringReply]:
    """Returns what each of the runs can be asked, and what waits there."""
    pending = SteeringRequest("pending")
    return [await carry_out(run, held, pending) for run, held in controllers.items()]


async def steerable_processes(home: Path) -> list[tuple[Path, SteeringReply]]:
    """Returns the processes that can be steered: what each runs, and what waits there."""
    found: list[tuple[Path, SteeringReply]] = []
    for path in sorted((home / FOLDER).glob("*.sock")):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            found.append((path, await _exchange(path, SteeringRequest("pending"))))
    return found


async def send_request(home: Path, run: str, request: SteeringRequest) -> None:
    """Sends a request to the process that has the run, which carries it out."""
    for path, about in await steerable_processes(home):
        if about.run == run:
            await _ask_for(path, request)
            return
    raise CallerError(f"run {run} cannot be steered: it is not running under `unbraid run`")


async def attend(home: Path, who: str, seconds: float) -> None:
    """Informs every process that holds requests that a person answers here for so long."""
    await _ask_watching(home, SteeringRequest("attend", who, seconds=seconds))


async def note_elsewhere(home: Path, run: str, note: RunNote) -> bool:
    """Asks the process that records a run to put a note into its log. Returns whether there is
    one.
    """
    replies = await _ask_watching(home, SteeringRequest("note", run=run, note=note))
    return any(reply.error is None for reply in replies)


async def _ask_watching(home: Path, request: SteeringRequest) -> list[SteeringReply]:
    replies: list[SteeringReply] = []
    for path in sorted((home / FOLDER).glob(f"*.{ATTENDANCE}.sock")):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            replies.append(await _exchange(path, request))
    return replies


async def answer(
    home: Path,
    request_id: str,
    *,
    behavior: str,
    message: str | None,
    details: AnswerDetails | None = None,
) -> str:
    """Answers a permission request of any run. Returns that run's name."""
    request = SteeringRequest(
        "answer", message, request_id=request_id, behavior=behavior, details=details
    )
    asking = [
        (path, about.run)
        for path, about in await steerable_processes(home)
        if any(waiting.request_id == request_id for waiting in about.pending)
    ]
    if not asking:
        raise UnknownRequest(request_id)
    if len({run for _, run in asking}) > 1:
        # A person who allows one of them must not have allowed the other by that.
        raise CallerError(f"several runs have a request {request_id}: answer it on the page")
    path, run = asking[0]
    await _ask_for(path, request)
    return run


async def _ask_for(path: Path, request: SteeringRequest) -> None:
    reply = await _exchange(path, request)
    if reply.error is not None:
        raise CallerError(reply.error)


async def _exchange(path: Path, request: SteeringRequest) -> SteeringReply:
    reader, writer = await asyncio.open_unix_connection(connecting_address(path), limit=LIMIT)
    try:
        writer.write(msgspec.json.encode(request) + b"\n")
        await writer.drain()
        return msgspec.json.decode(await reader.readline(), type=SteeringReply)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def connecting_address(path: Path) -> Path:
    """Returns the address at which the process of a path listens."""
    return path.readlink() if path.is_symlink() else path
