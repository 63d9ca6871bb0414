"""Runs tasks beside others, cancels them, waits for their end; and for being asked to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

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
