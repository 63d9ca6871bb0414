"""The plugin in one process of OpenCode: it calls for orders, and says what came of them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.errors import SourceError
from unbraid.timings import PLUGIN_ORDERS_SECONDS, PLUGIN_REPLY_TIMEOUT_SECONDS


class OrderDone(Struct):
    """What has become of an order."""

    id: int
    error: str | None = None


class OrdersCall(Struct):
    """A plugin calls for orders. `events` are those of requests and sessions that were there before
    it could call.
    """

    done: list[OrderDone] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


class PluginLink:
    """One process, by its plugin. What it is asked to do are requests of OpenCode's own server,
    which a plugin can make without a port.
    """

    def __init__(self) -> None:
        self._orders: dict[int, dict[str, Any]] = {}  # not fetched yet
        self._replies: dict[int, asyncio.Future[str | None]] = {}
        self._numbers = itertools.count(1)
        self._wake = asyncio.Event()

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Has one request made. Raises SourceError if it fails, or nobody makes it."""
        number = next(self._numbers)
        reply: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._orders[number] = {"id": number, "path": path, "body": body}
        self._replies[number] = reply
        self._wake.set()
        try:
            async with asyncio.timeout(PLUGIN_REPLY_TIMEOUT_SECONDS):
                error = await reply
        except TimeoutError:
            error = "its plugin does not answer"
        finally:
            self._orders.pop(number, None)
            self._replies.pop(number, None)
        if error is not None:
            raise SourceError("OpenCode", f"{method} {path}: {error}")

    def note(self, done: Sequence[OrderDone]) -> None:
        """Takes in what has become of orders."""
        for each in done:
            reply = self._replies.get(each.id)
            if reply is not None and not reply.done():
                reply.set_result(each.error)

    async def fetch(self) -> bytes:
        """Returns the orders that wait, as soon as there are any; none after a while."""
        try:
            async with asyncio.timeout(PLUGIN_ORDERS_SECONDS):
                while not self._orders:
                    self._wake.clear()
                    await self._wake.wait()
        except TimeoutError:
            return b"[]"
        orders, self._orders = list(self._orders.values()), {}
        return msgspec.json.encode(orders)
