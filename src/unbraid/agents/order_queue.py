"""A queue of orders for a process that accepts no connections: it polls for orders and reports the
result of each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Generic, TypeVar

Order = TypeVar("Order")
Reply = TypeVar("Reply")


class OrderQueue(Generic[Order, Reply]):
    """Orders by their numbers, each until its reply has come or the caller has stopped waiting."""

    def __init__(self) -> None:
        self.orders: dict[int, Order] = {}
        self._replies: dict[int, asyncio.Future[Reply]] = {}
        self._numbers = count(1)
        self._changed = asyncio.Event()
        self._closed = False

    async def give(self, order: Callable[[int], Order], *, timeout_seconds: float) -> Reply:
        """Queues the order that `order(number)` builds, and returns its reply. Raises
        TimeoutError.
        """
        number = next(self._numbers)
        self.orders[number] = order(number)
        self._replies[number] = asyncio.get_running_loop().create_future()
        self._changed.set()
        try:
            async with asyncio.timeout(timeout_seconds):
                return await self._replies[number]
        finally:
            del self.orders[number], self._replies[number]

    def answer(self, number: int, reply: Reply) -> None:
        """Stores the reply to an order. Further replies to the same order are ignored."""
        waiting = self._replies.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    async def fetch(self, seen: int, *, timeout_seconds: float) -> dict[int, Order]:
        """Returns the orders after the one `seen`, as soon as there are any; none after a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                while not self._closed:
                    self._changed.clear()
                    if new := {n: order for n, order in self.orders.items() if n > seen}:
                        return new
                    await self._changed.wait()
        return {}

    def close(self) -> None:
        """Ends every `fetch` that waits for orders."""
        self._closed = True
        self._changed.set()
