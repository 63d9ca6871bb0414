"""A followed log with its pauses: who prints half lines must know when to wait no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from unbraid.log.entry import Entry

PAUSE_SECONDS = 1.0


async def paused(
    batches: AsyncIterator[list[Entry]], seconds: float = PAUSE_SECONDS
) -> AsyncIterator[list[Entry]]:
    """The batches as they come, and an empty one whenever nothing has come for a while."""
    coming: asyncio.Task[list[Entry]] | None = None
    told = True
    try:
        while True:
            coming = coming or asyncio.create_task(_next(batches))
            done, _ = await asyncio.wait([coming], timeout=None if told else seconds)
            if not done:
                told = True
                yield []
                continue
            try:
                batch = coming.result()
            except StopAsyncIteration:
                return
            coming, told = None, False
            yield batch
    finally:
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming


async def _next(batches: AsyncIterator[list[Entry]]) -> list[Entry]:
    return await anext(batches)
