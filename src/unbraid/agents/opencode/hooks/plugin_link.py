"""The plugin in one process of OpenCode: it polls for orders, and reports their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.agents.order_queue import OrderQueue
from unbraid.errors import SourceError
from unbraid.timings import PLUGIN_ORDERS_SECONDS, PLUGIN_REPLY_TIMEOUT_SECONDS


class OrderDone(Struct):
    """The result of an order."""

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
        self._queue: OrderQueue[dict[str, Any], str | None] = OrderQueue()
        self._fetched = 0

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Has one request made. Raises SourceError if it fails, or if the plugin does not make
        it.
        """
        try:
            error = await self._queue.give(
                lambda number: {"id": number, "path": path, "body": body},
                timeout_seconds=PLUGIN_REPLY_TIMEOUT_SECONDS,
            )
        except TimeoutError:
            error = "its plugin does not answer"
        if error is not None:
            raise SourceError("OpenCode", f"{method} {path}: {error}")

    def note(self, done: Sequence[OrderDone]) -> None:
        """Takes the results of orders."""
        for each in done:
            self._queue.answer(each.id, each.error)

    async def fetch(self) -> bytes:
        """Returns the orders that wait, as soon as there are any; none after a while."""
        orders = await self._queue.fetch(self._fetched, timeout_seconds=PLUGIN_ORDERS_SECONDS)
        self._fetched = max(orders, default=self._fetched)
        return msgspec.json.encode(list(orders.values()))
