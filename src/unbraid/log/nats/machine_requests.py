"""Questions from machine to machine, over the connection that a log has anyway. Nothing of them is
stored.

Each process that answers has an address of its own, which no other process ever has. A question to
all collects answers for a moment, and for longer while a process is missing that answered the last
time. When all of those have answered, it ends at once. A question to one address is answered, or no
process is there: then that is known at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error, NoRespondersError

from unbraid.errors import CallerError, LogError
from unbraid.log.nats.connection import NatsConnection
from unbraid.log.port import MachineRequests
from unbraid.timings import MACHINE_REQUEST_TIMEOUT_SECONDS, NATS_RETRY_SECONDS

# Every machine is asked what can be steered there; those that are not known yet have this long.
MACHINE_REQUEST_GATHER_SECONDS = 0.3
# Those that answered the last time have longer: a busy machine is not gone.
MACHINE_REQUEST_KNOWN_SECONDS = 1.0

_ADDRESS = "Unbraid-Address"


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class NatsMachineRequests(MachineRequests):
    """The questions of one log."""

    def __init__(self, connection: NatsConnection) -> None:
        prefix = connection.address.prefix
        self._connection, self._client = connection, connection.client
        self._all, self._one = f"{prefix}.ctl.all", f"{prefix}.ctl.at"
        self._known: set[str] = set()

    async def ask_all(self, question: bytes) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        done = asyncio.Event()

        async def receive(message: Msg) -> None:
            headers = message.headers or {}
            if headers.get("Status") == "503":
                done.set()
            elif (address := headers.get(_ADDRESS)) is not None:
                found[address] = message.data
                if self._known and self._known <= found.keys():
                    done.set()

        inbox = self._client.new_inbox()
        try:
            self._connection.check_made()
            subscription = await self._client.subscribe(inbox, cb=receive)
            try:
                await self._client.publish(self._all, question, reply=inbox)
                await _wait(done, MACHINE_REQUEST_GATHER_SECONDS)
                if not self._known <= found.keys():
                    # They were there a moment ago, and may be busy.
                    await _wait(done, MACHINE_REQUEST_KNOWN_SECONDS)
            finally:
                await subscription.unsubscribe()
        except (Error, OSError, LogError):
            return {}
        self._known = set(found)
        return found

    async def ask(self, address: str, question: bytes) -> bytes:
        try:
            self._connection.check_made()
            answer = await self._client.request(
                f"{self._one}.{address}", question, timeout=MACHINE_REQUEST_TIMEOUT_SECONDS
            )
        except NoRespondersError:
            raise CallerError("the process that held this request has ended") from None
        except LogError as error:
            raise CallerError(str(error)) from None
        except (Error, OSError, TimeoutError):
            problem = f"no answer within {MACHINE_REQUEST_TIMEOUT_SECONDS:.0f} seconds"
            raise CallerError(f"{problem}; it may have been carried out") from None
        return answer.data

    @contextlib.asynccontextmanager
    async def answering(self, answer: Callable[[bytes], Awaitable[bytes]]) -> AsyncIterator[None]:
        address = secrets.token_hex(8)
        tasks: set[asyncio.Task[None]] = set()

        async def reply(message: Msg) -> None:
            data = await answer(message.data)
            with contextlib.suppress(Error, OSError):
                await self._client.publish(message.reply, data, headers={_ADDRESS: address})

        async def receive(message: Msg) -> None:
            # Not one after the other: an agent may take its time.
            if message.reply:
                task = asyncio.create_task(reply(message))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

        subscriptions: list[Subscription] = []

        async def listen() -> None:
            while not self._is_made():  # noqa: ASYNC110 - the client says nothing of it
                await asyncio.sleep(NATS_RETRY_SECONDS)
            subscriptions.append(await self._client.subscribe(self._all, cb=receive))
            own = f"{self._one}.{address}"
            subscriptions.append(await self._client.subscribe(own, cb=receive))

        if self._is_made():
            await listen()
            # From here on, others find it; if the connection is lost, when that is back.
            with contextlib.suppress(Error, OSError, TimeoutError):
                await self._client.flush(1)
        else:
            listening = asyncio.create_task(listen())
            tasks.add(listening)
            listening.add_done_callback(tasks.discard)
        try:
            yield
        finally:
            for subscription in subscriptions:
                with contextlib.suppress(Error, OSError):
                    await subscription.unsubscribe()
            for task in list(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _is_made(self) -> bool:
        """Returns whether there ever was a connection: what is subscribed before is lost."""
        try:
            self._connection.check_made()
        except LogError:
            return False
        return True
