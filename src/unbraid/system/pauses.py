"""What comes one by one, the pauses in between, and the pauses before something is tried again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Backoff:
    """Pauses between attempts at something that fails, longer each time."""

    def __init__(self, first_seconds: float, longest_seconds: float, *, factor: float = 2) -> None:
        self._first, self._longest, self._factor = first_seconds, longest_seconds, factor
        self._next = first_seconds

    async def wait(self) -> None:
        """Waits for the next pause. Each is up to half shorter, by chance: those who wait for the
        same server do not all come back to it at once.
        """
        pause, self._next = self._next, min(self._next * self._factor, self._longest)
        await asyncio.sleep(pause * random.uniform(0.5, 1))

    def reset(self) -> None:
        """Begins again with the first pause, because an attempt has succeeded."""
        self._next = self._first


async def with_pauses(
    items: AsyncIterator[T], seconds: Callable[[], float | None]
) -> AsyncGenerator[T | None, None]:
    """Yields the items as they come, and None whenever none has come for so many seconds, which are
    asked for before each wait; without a number it waits without a limit.

    An item that is late is not lost: the wait for it continues. Use it in `aclosing`.
    """
    coming: asyncio.Task[T] | None = None
    try:
        while True:
            coming = coming or asyncio.create_task(_next(items))
            done, _ = await asyncio.wait([coming], timeout=seconds())
            if not done:
                yield None
                continue
            try:
                item = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield item
    finally:
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming


async def _next(items: AsyncIterator[T]) -> T:
    return await anext(items)
