"""What comes one by one, and the pauses in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


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
