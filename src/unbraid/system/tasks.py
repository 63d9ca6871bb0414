"""Tasks that are to end."""

from __future__ import annotations

import asyncio

from unbraid.timings import CANCEL_AGAIN_SECONDS


async def end_task(task: asyncio.Task[object]) -> None:
    """Cancels a task until it is done, whatever came of it. Once may not be enough:
    `asyncio.wait_for` of Python 3.11 can swallow a cancel.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCEL_AGAIN_SECONDS)
    if not task.cancelled():
        task.exception()  # looked at, so that nobody is warned of it
