"""Lets a server steer the runs that this process sends there: see `steer/servers.py`."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from unbraid.log.remote.ingest import checked_url, connected_client
from unbraid.read.record import BAD_JSON
from unbraid.steer.controllers import Controllers
from unbraid.steer.servers import (
    SteeringAnswer,
    SteeringOrder,
    SteeringOrders,
    SteeringReport,
)
from unbraid.system.tasks import end_task
from unbraid.timings import (
    SEND_FIRST_RETRY_SECONDS,
    SEND_LONGEST_RETRY_SECONDS,
    STEERING_LOOK_SECONDS,
    STEERING_POLL_SECONDS,
    STEERING_UNKNOWN_SECONDS,
)

if TYPE_CHECKING:
    import httpx


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
        pause = SEND_FIRST_RETRY_SECONDS
        while True:
            try:
                seconds = STEERING_POLL_SECONDS + SEND_LONGEST_RETRY_SECONDS
                async with connected_client(self._url, self._token, seconds) as client:
                    while True:
                        await self._exchange(client)
                        pause = SEND_FIRST_RETRY_SECONDS
            except (_Unavailable, OSError):
                await asyncio.sleep(pause * (0.5 + random.random() / 2))
                pause = min(2 * pause, SEND_LONGEST_RETRY_SECONDS)

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
        except http.HTTP_ERRORS as error:
            raise _Unavailable from error
        try:
            if answer.status_code == 200:
                return msgspec.json.decode(answer.content, type=SteeringOrders)
        except BAD_JSON as error:
            raise _Unavailable from error
        raise _Unavailable


class _Unavailable(Exception):
    """The server takes no report now."""
