"""Steering runs of machines that send them here, over the requests that those machines make: a
server cannot connect to a laptop or a CI host.

A process reports again and again what its runs can be asked to do, and each report is answered when
there are orders for it. An order stays until its answer has come, so an order that was lost on its
way is given again; the process carries out each number once. A process that no longer reports is
gone, and the requests that wait for it fail.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from unbraid.agents.control_port import SteeringRequest
from unbraid.agents.order_queue import OrderQueue
from unbraid.errors import CallerError
from unbraid.steer.controllers import Controllers, ForwardedRun, SteeringReply
from unbraid.timings import (
    MACHINE_REQUEST_TIMEOUT_SECONDS,
    STEERING_GONE_SECONDS,
    STEERING_POLL_SECONDS,
)

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
