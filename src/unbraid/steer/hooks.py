"""Answers hooks in CLIs, at a socket: HTTP, as `curl` speaks it, one request per connection.

It is in our private folder, and no other user can reach it. An agent runs as its owner, and can: it
may ask, and wait for what is sent to its session; nothing here answers a request. Of all processes
of ours that watch, one listens; when it is gone, another takes its place.

A hook that waits for a person hears now and then that we are alive: blanks, before the answer. One
that heard nothing leaves a file, and no other calls before we have removed it.

The number of open calls is limited. A call that sends nothing is closed soon. At the limit, the
oldest call of the process with the most calls is closed for the next one.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import h11

from unbraid.agents.control_port import Attendance
from unbraid.agents.port import (
    CALLERS_NAME,
    FOLDER,
    ORDERS_NAME,
    SOCKET_NAME,
    STALLED_NAME,
    HookCall,
    RunReference,
    SessionWatch,
)
from unbraid.errors import LogError
from unbraid.events import FleetPermissionReplied
from unbraid.log.port import Log
from unbraid.read.record import BAD_JSON
from unbraid.steer.controllers import Controllers
from unbraid.steer.resume import agent_of
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.system.sockets import listening_address, peer_process
from unbraid.timings import HOOK_BEAT_SECONDS, RUN_POLL_SECONDS

# Watched sessions that can be steered, registered by the run that records them.

MAX_SILENT = 64


class SteeredRuns:
    """The controllers of watched sessions."""

    def __init__(self, log: Log, controllers: Controllers) -> None:
        self._log, self._controllers = log, controllers
        self._runs: dict[str, str] = {}  # session: the run that it is registered by
        self._silent: dict[str, None] = {}

    def note(self, watch: SessionWatch, session_id: str, run: str) -> None:
        """Registers the run that records a session, if the session can be steered."""
        self._silent.pop(session_id, None)
        before = self._runs.get(session_id)
        if before == run:
            return
        controller = watch.controller(session_id, RunReference(partial(agent_of, self._log, run)))
        if controller is None:
            return
        if before is not None:
            # The run before has ended, and the session continues.
            self._controllers.unregister(before)
        self._runs[session_id] = run
        self._controllers.register(run, controller)

    def note_silent(self, session_id: str) -> None:
        """Notes that a session is no longer followed. A message can begin its next run, so the
        last ones stay registered; older ones do not.
        """
        if session_id not in self._runs:
            return
        self._silent[session_id] = None
        while len(self._silent) > MAX_SILENT:
            forgotten = next(iter(self._silent))
            del self._silent[forgotten]
            self._controllers.unregister(self._runs.pop(forgotten))


# A caller has sent its request by then: all of it comes at once, from a program on this machine.
HOOK_REQUEST_TIMEOUT_SECONDS = 5.0
# A hook may call for a session that has only just begun, before its files are found.
HOOK_SESSION_TIMEOUT_SECONDS = 3.0
# When the process that listens for hooks is gone, another one of ours takes its place this soon.
HOOK_SOCKET_RETRY_SECONDS = 1.0

MAX_BODY_BYTES = 16 << 20
MAX_BODIES_BYTES = 4 * MAX_BODY_BYTES
MAX_CALLS = 256
MAX_CALLERS = 1000
READ_BYTES = 1 << 16
# Agents' programs skip blanks before an answer, and `curl` wants a byte a second.
BEAT = b"\n" * int(2 * HOOK_BEAT_SECONDS)
_CALLER = re.compile(r"\d{1,11}-[A-Za-z0-9-]{0,100}")


Answer = Callable[[HookCall], Coroutine[Any, Any, bytes]]


class HookSocket:
    """Listens to hooks. `answers` are what answers those of each kind."""

    def __init__(self, folder: Path, answers: Mapping[str, Answer]) -> None:
        self._folder, self._answers = folder, answers
        self._calls: dict[asyncio.Task[None], int] = {}  # the process of each, oldest first
        self._body_bytes = 0  # of all calls that are being read
        self.is_others = False  # another process of ours listens

    async def run(self) -> None:
        """Listens until cancelled, as soon as no other process does."""
        while True:
            lock = _lock(self._folder)
            self.is_others = lock is None
            if lock is not None:
                with lock:
                    async with self._listening():
                        await self._keep_open()
            await asyncio.sleep(HOOK_SOCKET_RETRY_SECONDS)

    async def _keep_open(self) -> None:
        """Lets hooks call again that got no answer, for as long as we can answer."""
        while True:
            with suppress(OSError):
                (self._folder / STALLED_NAME).unlink(missing_ok=True)
            await asyncio.sleep(HOOK_SOCKET_RETRY_SECONDS)

    def _note_caller(self, name: str) -> None:
        """Notes that we know a session: its next tool call need not be reported."""
        if _CALLER.fullmatch(name) is None:
            return
        folder = self._folder / CALLERS_NAME
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            if len(list(folder.iterdir())) >= MAX_CALLERS:
                self._forget_callers()  # most are gone; the others call once more
                folder.mkdir(mode=0o700)
            (folder / name).touch(mode=0o600)

    def _forget_callers(self) -> None:
        shutil.rmtree(self._folder / CALLERS_NAME, ignore_errors=True)

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        calls = self._calls

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(calls) >= MAX_CALLS:
                self._take_place()
            task = asyncio.ensure_future(self._serve(reader, writer))
            calls[task] = peer_process(writer.get_extra_info("socket"))
            task.add_done_callback(lambda done: calls.pop(done, None))

        with ExitStack() as stack:
            # Those that another process knew.
            self._forget_callers()
            stack.callback(self._forget_callers)
            address = listening_address(self._folder / SOCKET_NAME, stack)
            server = await asyncio.start_unix_server(accept, address)
            address.chmod(0o600)
            try:
                yield
            finally:
                # First the name, so that no hook begins to call; then those that are held.
                stack.close()
                server.close()
                held = list(calls)
                for task in held:
                    task.cancel()
                await asyncio.gather(*held, return_exceptions=True)

    def _take_place(self) -> None:
        """Ends a call: the oldest of the process that has the most."""
        held = Counter(self._calls.values())
        task = max(self._calls, key=lambda each: held[self._calls[each]])
        del self._calls[task]
        task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (OSError, h11.ProtocolError):
            pass  # the caller is gone, slow, or no hook of ours
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        response = _Response(writer)
        async with asyncio.timeout(HOOK_REQUEST_TIMEOUT_SECONDS):
            call = await self._read(response.connection, reader)
        status, body = 404, b""
        if call is not None and (answer := self._answers.get(call[0])) is not None:
            self._note_caller(call[1].caller)
            status, body = await self._hooked(answer, call[1], reader, response=response)
        await response.end(status, body)

    async def _read(
        self, connection: h11.Connection, reader: asyncio.StreamReader
    ) -> tuple[str, HookCall] | None:
        """Returns the kind that a request is for, and its call; None if it is too large."""
        head: h11.Request | None = None
        body = bytearray()
        try:
            while True:
                match connection.next_event():
                    case h11.NEED_DATA:
                        connection.receive_data(await reader.read(READ_BYTES))
                    case h11.Request() as head:
                        pass
                    case h11.Data(data=data):
                        body += data
                        self._body_bytes += len(data)
                        if len(body) > MAX_BODY_BYTES or self._body_bytes > MAX_BODIES_BYTES:
                            return None
                    case h11.EndOfMessage() if head is not None:
                        return _call(head, bytes(body))
                    case _:
                        raise ConnectionResetError("the hook is gone")
        finally:
            self._body_bytes -= len(body)

    async def _hooked(
        self,
        answer: Answer,
        call: HookCall,
        reader: asyncio.StreamReader,
        response: _Response,
    ) -> tuple[int, bytes]:
        answering = asyncio.ensure_future(answer(call))
        # A caller says nothing more: what comes is its end.
        leaving = asyncio.ensure_future(reader.read(1))
        beat = HOOK_BEAT_SECONDS if call.beats else None
        try:
            while not answering.done():
                ends = [answering, leaving]
                await asyncio.wait(ends, timeout=beat, return_when=asyncio.FIRST_COMPLETED)
                if leaving.done() and not answering.done():
                    raise ConnectionResetError("the hook is gone")
                if not answering.done():
                    await response.beat()
            return 200, answering.result()
        except BAD_JSON:
            return 400, b""
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)


class _Response:
    """The answer to one call, which begins with its first sign of life."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.connection = h11.Connection(h11.SERVER)
        self._writer = writer
        self._has_begun = False

    async def beat(self) -> None:
        """Sends a sign of life."""
        self._begin(200, [])
        self._send(h11.Data(data=BEAT))
        await self._writer.drain()

    async def end(self, status: int, body: bytes) -> None:
        """Sends the rest."""
        self._begin(status, [("Content-Length", str(len(body)))])
        self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())
        await self._writer.drain()

    def _begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        if not self._has_begun:
            self._has_begun = True
            given = [*headers, ("Connection", "close")]
            self._send(h11.Response(status_code=status, headers=given))

    def _send(self, event: h11.Event) -> None:
        self._writer.write(self.connection.send(event) or b"")


def _call(head: h11.Request, body: bytes) -> tuple[str, HookCall]:
    """Returns the kind that a request is for, and its call."""
    fields = {bytes(name): bytes(value) for name, value in head.headers}
    process = fields.get(b"process", b"").decode("latin-1")
    kind, _, what = bytes(head.target).decode("latin-1").strip("/").partition("/")
    return kind, HookCall(
        what=what,
        body=body,
        entrypoint=fields.get(b"entrypoint", b"").decode("latin-1"),
        process=int(process) if process.isdecimal() and len(process) < 12 else 0,
        version=fields.get(b"version", b"").decode("latin-1"),
        caller=fields.get(b"caller", b"").decode("latin-1"),
        beats=b"beats" in fields,
    )


def _lock(folder: Path) -> IO[bytes] | None:
    """Returns the lock of the folder; None if it is not ours to listen in."""
    with suppress(OSError):
        make_private_folder(folder)
        folder.chmod(0o700)
        return locked_file(folder / "lock")
    return None


class HookService:
    """The `HookServices` of a watcher. `run_now` returns the run that records a session at present,
    and `look` makes the watcher look at a session of a kind.
    """

    def __init__(
        self,
        log: Log,
        controllers: Controllers,
        home: Path,
        *,
        run_now: Callable[[str], str | None],
        look: Callable[[str, str], None],
    ) -> None:
        self._log, self._controllers, self._home = log, controllers, home
        self._run_now, self.look = run_now, look
        self._mail: set[str] = set()
        self._socket: HookSocket | None = None

    async def run(self, watches: Mapping[str, SessionWatch]) -> None:
        """Answers hooks until cancelled, by the watches of their kinds."""
        answers = {kind: partial(watch.hooked, services=self) for kind, watch in watches.items()}
        self._socket = HookSocket(self._home / FOLDER, answers)
        try:
            await self._socket.run()
        finally:
            self._put_mail(waits=False)

    @property
    def is_others(self) -> bool:
        """Whether another process of ours answers hooks: it can only do so for sessions that it
        records.
        """
        return self._socket is not None and self._socket.is_others

    @property
    def attendance(self) -> Attendance:
        """Whether a person answers here."""
        return self._controllers.attendance

    async def run_of(self, session_id: str) -> str | None:
        """Returns the run that records a session, as soon as there is one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(HOOK_SESSION_TIMEOUT_SECONDS):
                while (run := self._run_now(session_id)) is None:  # noqa: ASYNC110
                    await asyncio.sleep(RUN_POLL_SECONDS)
                return run
        return None

    async def replied(self, run: str, request_id: str) -> None:
        """Waits until the log says that a request was answered."""
        try:
            summary = await self._log.run(run)
            since = 0 if summary is None else summary.last_seq
            async for batch in self._log.follow(run, since):
                replies = (entry.event for entry in batch if entry.type == "permission_replied")
                for event in replies:
                    if isinstance(event, FleetPermissionReplied) and event.request_id == request_id:
                        return
        except LogError:
            # It is unknown whether there was an answer: the request waits for one here.
            await asyncio.get_running_loop().create_future()

    def note_orders(self, kind: str, *, waits: bool) -> None:
        """Notes whether something waits for sessions of a kind."""
        before = bool(self._mail)
        (self._mail.add if waits else self._mail.discard)(kind)
        if bool(self._mail) != before:
            self._put_mail(waits=bool(self._mail))

    def _put_mail(self, *, waits: bool) -> None:
        path = self._home / FOLDER / ORDERS_NAME
        with suppress(OSError):
            if waits:
                path.touch(mode=0o600)
            else:
                path.unlink(missing_ok=True)
