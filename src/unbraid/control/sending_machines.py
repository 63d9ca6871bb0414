"""Steering runs of machines that send them here, over the requests that those machines make: nobody
can connect to a laptop or a CI host.

A process reports again and again what can be asked of its runs, and each report is answered when
there are orders for it. An order stays until its answer has come, so one whose way there was cut is
given again; the process carries out each number once. A process that reports no more is gone, and
who waits for it learns so.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from functools import partial
from itertools import count

from msgspec import Struct

from unbraid.control.controllers import Controllers
from unbraid.control.processes import ForwardingController
from unbraid.control.sockets import SteeringReply, SteeringRequest
from unbraid.errors import CallerError
from unbraid.timings import (
    MACHINE_REQUEST_TIMEOUT_SECONDS,
    STEERING_GONE_SECONDS,
    STEERING_POLL_SECONDS,
)

MAX_LINES = 1000
# One machine must not take the place of all others.
MAX_LINES_OF_ONE = 100
MAX_RUNS = 100


class SteeringOrder(Struct):
    """A request to one of the runs of a process."""

    number: int
    run: str
    request: SteeringRequest


class SteeringAnswer(Struct):
    """What came of an order."""

    number: int
    reply: SteeringReply


class SteeringReport(Struct):
    """What can be asked of the runs of a process, the last order that it has `seen`, and what came
    of those before.
    """

    runs: list[SteeringReply] = []
    seen: int = 0
    answers: list[SteeringAnswer] = []


class SteeringOrders(Struct):
    """The orders that a process has not seen yet; if none of its runs is known here, none come."""

    orders: list[SteeringOrder]


class _Line:
    """One process that sends runs here."""

    def __init__(self) -> None:
        self.runs: dict[str, ForwardingController] = {}
        self.orders: dict[int, SteeringOrder] = {}
        self.waiting: dict[int, asyncio.Future[SteeringReply]] = {}
        self.changed = asyncio.Event()
        self.reports = 0
        self._numbers = count(1)

    async def steer(self, request: SteeringRequest, *, run: str) -> None:
        """Has a request carried out there; raises CallerError."""
        number = next(self._numbers)
        answer: asyncio.Future[SteeringReply] = asyncio.get_running_loop().create_future()
        self.orders[number] = SteeringOrder(number, run, request)
        self.waiting[number] = answer
        self.changed.set()
        try:
            async with asyncio.timeout(MACHINE_REQUEST_TIMEOUT_SECONDS):
                reply = await answer
        except TimeoutError:
            problem = f"no answer within {MACHINE_REQUEST_TIMEOUT_SECONDS:.0f} seconds"
            raise CallerError(
                f"run {run} was not reached: {problem}; it may have been carried out"
            ) from None
        finally:
            del self.orders[number], self.waiting[number]
        if reply.error is not None:
            raise CallerError(reply.error)

    def answered(self, answers: Collection[SteeringAnswer]) -> None:
        for each in answers:
            waiting = self.waiting.get(each.number)
            if waiting is not None and not waiting.done():
                waiting.set_result(each.reply)

    def gone(self) -> None:
        for number, answer in self.waiting.items():
            if not answer.done():
                run = self.orders[number].run
                error = f"run {run} was not reached: the process that held this request has ended"
                answer.set_result(SteeringReply(run, error))


class SendingMachines:
    """The processes of other machines that report to this server."""

    def __init__(self, controllers: Controllers) -> None:
        self._controllers = controllers
        self._lines: dict[tuple[str | None, str], _Line] = {}
        self._closed = False

    async def report(
        self, machine: str | None, name: str, report: SteeringReport
    ) -> SteeringOrders:
        """Take in a report of the process that a machine calls so; returns its orders, as soon as
        there are some.
        """
        if self._closed:
            raise CallerError("this server is shutting down")
        key = (machine, name)
        if len(report.runs) > MAX_RUNS or (key not in self._lines and not self._has_room(machine)):
            raise CallerError("more runs than can be steered through this server")
        if not report.runs and key not in self._lines:
            return SteeringOrders([])  # nobody to give an order to
        line = self._lines.setdefault(key, _Line())
        line.answered(report.answers)
        self._register(line, report.runs)
        line.reports += 1
        try:
            return SteeringOrders(await self._orders(line, report.seen))
        finally:
            line.reports -= 1
            later = asyncio.get_running_loop().call_later
            later(STEERING_GONE_SECONDS, self._end_if_gone, key, line)

    def _has_room(self, machine: str | None) -> bool:
        own = sum(each == machine for each, _ in self._lines)
        return len(self._lines) < MAX_LINES and own < MAX_LINES_OF_ONE

    def close(self) -> None:
        """Lets go of everybody."""
        self._closed = True
        for line in self._lines.values():
            line.gone()
            line.changed.set()

    async def _orders(self, line: _Line, seen: int) -> list[SteeringOrder]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STEERING_POLL_SECONDS if line.runs else 0):
                while not self._closed:
                    line.changed.clear()
                    if new := [each for each in line.orders.values() if each.number > seen]:
                        return new
                    await line.changed.wait()
        return []

    def _register(self, line: _Line, replies: Collection[SteeringReply]) -> None:
        held = self._controllers.own()
        now = {
            about.run: ForwardingController(about, partial(line.steer, run=about.run))
            for about in replies
            # What this server steers itself is not theirs.
            if about.run not in held or held[about.run] is line.runs.get(about.run)
        }
        self._unregister(line, line.runs.keys() - now.keys())
        line.runs = now
        for run, controller in now.items():
            self._controllers.register(run, controller)

    def _unregister(self, line: _Line, runs: Collection[str]) -> None:
        held = self._controllers.own()
        for run in runs:
            if held.get(run) is line.runs[run]:
                self._controllers.unregister(run)

    def _end_if_gone(self, key: tuple[str | None, str], line: _Line) -> None:
        if line.reports == 0 and self._lines.get(key) is line:
            line.gone()
            self._unregister(line, line.runs)
            del self._lines[key]
