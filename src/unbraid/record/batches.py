"""Chunks from a source that blocks: files are read, and their lines put in order, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from unbraid.wire.chunk import Chunk

BATCH_BYTES = 1 << 20


async def read_in_thread(chunks: Iterator[Chunk]) -> AsyncIterator[list[Chunk]]:
    """Yields chunks, some at a time: a long history is not held at once."""
    more = True
    while more:
        batch, more = await asyncio.to_thread(_batch, chunks)
        if batch:
            yield batch


def _batch(chunks: Iterator[Chunk]) -> tuple[list[Chunk], bool]:
    """Returns the next chunks, and whether there may be more."""
    taken: list[Chunk] = []
    size = 0
    for chunk in chunks:
        taken.append(chunk)
        size += len(chunk.data)
        if size >= BATCH_BYTES:
            return taken, True
    return taken, False
