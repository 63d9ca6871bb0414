"""Runs tasks beside others, cancels them, waits for their end; and for being asked to end."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

# What comes one by one, the pauses in between, and the pauses before something is tried again.

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


# A task that was cancelled and has not ended after so long has missed it, and is cancelled again.
CANCEL_AGAIN_SECONDS = 0.1


async def cancel_task(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for it. Raises what it has failed with. The waiting task may be
    cancelled meanwhile, and cleans up all the same.
    """
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Does something beside the block, for as long as that runs."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await cancel_task(task)


async def end_task(task: asyncio.Task[object]) -> None:
    """Cancels a task until it is done, whatever came of it. Once may not be enough:
    `asyncio.wait_for` of Python 3.11 can swallow a cancel.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCEL_AGAIN_SECONDS)
    if not task.cancelled():
        task.exception()  # looked at, so that no warning is printed


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Sets an event when the process is asked to end; asked twice, the process ends at once."""
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)

    def ask(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    # Windows has no such handlers; there Ctrl-C ends the loop by an exception.
    with suppress(NotImplementedError):
        for number in signals:
            loop.add_signal_handler(number, ask, number)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in signals:
                loop.remove_signal_handler(number)
