"""Steering over HTTP, in both directions: the runs that can be controlled through another server,
and the runs of machines that send them to this one.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Collection, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.agents.control_port import Controller, SteeringRequest
from unbraid.agents.order_queue import OrderQueue
from unbraid.errors import CallerError
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.ingest import RemoteError, checked_url, connected_client
from unbraid.read.record import BAD_JSON
from unbraid.steer.controllers import Controllers, ForwardedRun, OtherRuns, SteeringReply
from unbraid.steer.permissions import OpenRequests, PermissionRequest
from unbraid.system.tasks import Backoff, end_task
from unbraid.timings import (
    MACHINE_REQUEST_TIMEOUT_SECONDS,
    SEND_FIRST_RETRY_SECONDS,
    SEND_LONGEST_RETRY_SECONDS,
)

if TYPE_CHECKING:
    import httpx

# A process that can be steered polls for orders: how long a poll stays open, when it polls again if
# its runs are unknown there, when it counts as gone, how often it looks for new things to report.
STEERING_POLL_SECONDS = 20.0
STEERING_UNKNOWN_SECONDS = 0.5
STEERING_GONE_SECONDS = 10.0
STEERING_LOOK_SECONDS = 0.25


class _Steerable(Struct):
    runs: list[SteeringReply]


class _Waiting(Struct):
    permissions: list[PermissionRequest]
    unlisted: int = 0


class RemoteControllers(OtherRuns):
    """The runs that can be controlled through the server, which says what it lets us do."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server

    async def controllers(self) -> Mapping[str, Controller]:
        """Returns the controllers of the runs that can be controlled now, by run."""
        held = await self._server.get("/v1/control", _Steerable)
        return {about.run: ForwardedRun(about, self._send) for about in held.runs}

    async def open_requests(self) -> OpenRequests:
        """Returns the permission requests that can be answered there."""
        waiting = await self._server.get("/v1/permissions", _Waiting)
        return OpenRequests(waiting.permissions, waiting.unlisted)

    async def attend(self, who: str, seconds: float) -> None:
        """Lets the server know that somebody answers here for so long."""
        await self._server.post("/v1/attendance", {"seconds": seconds})

    async def _send(self, request: SteeringRequest) -> SteeringReply:
        run = f"/v1/runs/{request.run}"
        path, body = f"{run}/{request.verb}", None
        match request.verb:
            case "message":
                body = {"text": request.text, "stream_id": request.stream_id}
            case "stop":
                path = f"{run}/streams/{request.stream_id}/stop"
            case "halt":
                path = f"{run}/interrupt"
            case "answer":
                # The id is the agent's word: it must not lead to another route.
                path = f"/v1/permissions/{quote(request.request_id, safe='')}"
                body = _decision(request)
        try:
            await self._server.post(path, body)
        except RemoteError as error:
            raise CallerError(error.problem) from None
        return SteeringReply(request.run)


def _decision(request: SteeringRequest) -> dict[str, Any]:
    more = {} if request.details is None else msgspec.to_builtins(request.details)
    # Who it is, the server knows by the token.
    more.pop("by", None)
    return {"behavior": request.behavior, "message": request.text, "run": request.run, **more}


# Steering runs of machines that send them here, over the requests that those machines make: a
# server cannot connect to a laptop or a CI host.
#
# A process reports again and again what its runs can be asked to do, and each report is answered
# when there are orders for it. An order stays until its answer has come, so an order that was
# lost on its way is given again; the process carries out each number once. A process that no
# longer reports is gone, and the requests that wait for it fail.

MAX_PROCESSES = 1000
# One machine must not take the place of all others.
MAX_PROCESSES_OF_ONE = 100
MAX_RUNS = 100


class SteeringOrder(Struct):
    """A request to one of the runs of a process."""

    number: int
    run: str
    request: SteeringRequest


class SteeringAnswer(Struct):
    """The result of an order."""

    number: int
    reply: SteeringReply


class SteeringReport(Struct):
    """What the runs of a process can be asked to do, the last order that it has `seen`, and the
    results of earlier ones.
    """

    runs: list[SteeringReply] = []
    seen: int = 0
    answers: list[SteeringAnswer] = []


class SteeringOrders(Struct):
    """The orders that a process has not seen yet; if none of its runs is known here, none come."""

    orders: list[SteeringOrder]


class _SendingProcess:
    """One process that sends runs here."""

    def __init__(self) -> None:
        self.runs: dict[str, ForwardedRun] = {}
        self.queue: OrderQueue[SteeringOrder, SteeringReply] = OrderQueue()
        self.reports = 0

    async def send(self, request: SteeringRequest) -> SteeringReply:
        """Has a request carried out there. Returns the result; raises CallerError if none comes."""
        run = request.run
        try:
            return await self.queue.give(
                lambda number: SteeringOrder(number, run, replace(request, run="")),
                timeout_seconds=MACHINE_REQUEST_TIMEOUT_SECONDS,
            )
        except TimeoutError:
            problem = f"no answer within {MACHINE_REQUEST_TIMEOUT_SECONDS:.0f} seconds"
            raise CallerError(
                f"run {run} was not reached: {problem}; it may have been carried out"
            ) from None

    def gone(self) -> None:
        """Answers every request that waits for it."""
        for number, order in self.queue.orders.items():
            error = f"run {order.run} was not reached: the process that held this request has ended"
            self.queue.answer(number, SteeringReply(order.run, error))


class SendingMachines:
    """The processes of other machines that report to this server."""

    def __init__(self, controllers: Controllers) -> None:
        self._controllers = controllers
        self._processes: dict[tuple[str | None, str], _SendingProcess] = {}
        self._closed = False

    async def report(
        self, machine: str | None, name: str, report: SteeringReport
    ) -> SteeringOrders:
        """Applies a report of the process that a machine calls `name`. Returns its orders, as soon
        as there are some.
        """
        if self._closed:
            raise CallerError("this server is shutting down")
        key = (machine, name)
        if len(report.runs) > MAX_RUNS or (
            key not in self._processes and not self._has_room(machine)
        ):
            raise CallerError("more runs than can be steered through this server")
        if not report.runs and key not in self._processes:
            return SteeringOrders([])  # there is no run to steer
        process = self._processes.setdefault(key, _SendingProcess())
        for answer in report.answers:
            process.queue.answer(answer.number, answer.reply)
        self._register(process, report.runs)
        process.reports += 1
        try:
            wait = STEERING_POLL_SECONDS if process.runs else 0
            orders = await process.queue.fetch(report.seen, timeout_seconds=wait)
            return SteeringOrders(list(orders.values()))
        finally:
            process.reports -= 1
            later = asyncio.get_running_loop().call_later
            later(STEERING_GONE_SECONDS, self._end_if_gone, key, process)

    def _has_room(self, machine: str | None) -> bool:
        own = sum(each == machine for each, _ in self._processes)
        return len(self._processes) < MAX_PROCESSES and own < MAX_PROCESSES_OF_ONE

    def close(self) -> None:
        """Ends all polls and pending requests."""
        self._closed = True
        for process in self._processes.values():
            process.gone()
            process.queue.close()

    def _register(self, process: _SendingProcess, replies: Collection[SteeringReply]) -> None:
        held = self._controllers.own()
        now = {
            about.run: ForwardedRun(about, process.send)
            for about in replies
            # What this server steers itself is not theirs.
            if about.run not in held or held[about.run] is process.runs.get(about.run)
        }
        self._unregister(process, process.runs.keys() - now.keys())
        process.runs = now
        for run, controller in now.items():
            self._controllers.register(run, controller)

    def _unregister(self, process: _SendingProcess, runs: Collection[str]) -> None:
        held = self._controllers.own()
        for run in runs:
            if held.get(run) is process.runs[run]:
                self._controllers.unregister(run)

    def _end_if_gone(self, key: tuple[str | None, str], process: _SendingProcess) -> None:
        if process.reports == 0 and self._processes.get(key) is process:
            process.gone()
            self._unregister(process, process.runs)
            del self._processes[key]


# Lets a server steer the runs that this process sends there: see `steer/servers.py`.


class SteeringLink:
    """Reports to a server what can be asked of the runs of this process, and carries out what comes
    back. While the server cannot be reached, it cannot steer these runs; nothing else changes.
    """

    def __init__(self, url: str, token: str | None, controllers: Controllers) -> None:
        self._url = f"{checked_url(url).rstrip('/')}/v1/steering/{secrets.token_hex(8)}"
        self._token, self._controllers = token, controllers
        self._seen = 0
        self._answers: list[SteeringAnswer] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Lets the server steer the runs of this process while the block runs."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            await end_task(task)
            for each in list(self._tasks):
                await end_task(each)

    async def _run(self) -> None:
        backoff = Backoff(SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS)
        while True:
            try:
                seconds = STEERING_POLL_SECONDS + SEND_LONGEST_RETRY_SECONDS
                async with connected_client(self._url, self._token, seconds) as client:
                    while True:
                        await self._exchange(client)
                        backoff.reset()
            except (_Unavailable, OSError):
                await backoff.wait()

    async def _exchange(self, client: httpx.AsyncClient) -> None:
        self._changed.clear()
        runs, answers = self._controllers.report(), list(self._answers)
        report = SteeringReport(runs, self._seen, answers)
        posting = asyncio.create_task(self._post(client, report))
        changing = asyncio.create_task(self._change(msgspec.json.encode(runs)))
        try:
            await asyncio.wait((posting, changing), return_when=asyncio.FIRST_COMPLETED)
            if not posting.done():
                # There is more to report. An order that is lost with this comes again, and so do
                # our answers: the server ignores those that it has.
                return
            orders = await posting
            if not orders.orders:
                # Its runs may not have arrived there yet.
                await asyncio.wait((changing,), timeout=STEERING_UNKNOWN_SECONDS)
        finally:
            await end_task(posting)
            await end_task(changing)
        del self._answers[: len(answers)]
        for order in orders.orders:
            if order.number > self._seen:
                self._seen = order.number
                task = asyncio.create_task(self._carry_out(order))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _change(self, reported: bytes) -> None:
        """Waits until there is something else to report."""
        while not self._changed.is_set():
            if msgspec.json.encode(self._controllers.report()) != reported:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STEERING_LOOK_SECONDS):
                    await self._changed.wait()

    async def _carry_out(self, order: SteeringOrder) -> None:
        # Only on a run: what processes ask each other is not the server's to ask.
        reply = await self._controllers.carry_out(replace(order.request, run=order.run))
        self._answers.append(SteeringAnswer(order.number, reply))
        self._changed.set()

    async def _post(self, client: httpx.AsyncClient, report: SteeringReport) -> SteeringOrders:
        from unbraid.system import http

        headers = {"Content-Type": "application/json"}
        try:
            body = msgspec.json.encode(report)
            answer = await client.post(self._url, content=body, headers=headers)
            if answer.status_code == 200:
                return msgspec.json.decode(answer.content, type=SteeringOrders)
        except (*http.HTTP_ERRORS, *BAD_JSON) as error:
            raise _Unavailable from error
        raise _Unavailable


class _Unavailable(Exception):
    """The server takes no report now."""
