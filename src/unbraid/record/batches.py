"""Chunks from a source that blocks: files are read, and their lines put in order, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from unbraid.read.chunk import Chunk

BATCH_BYTES = 1 << 22


async def read_in_thread(chunks: Iterator[Chunk]) -> AsyncIterator[list[Chunk]]:
    """Yields chunks, some at a time: a long history is not held at once."""
    batch = _Batch([], None, more=True)
    while batch.more:
        batch = await asyncio.to_thread(_next, chunks)
        if batch.chunks:
            yield batch.chunks
    if batch.error is not None:
        raise batch.error


class _Batch(NamedTuple):
    chunks: list[Chunk]
    error: Exception | None
    more: bool


def _next(chunks: Iterator[Chunk]) -> _Batch:
    """Returns the next chunks. An error comes after those that were read before it: a source does
    not give them out a second time.
    """
    taken: list[Chunk] = []
    size = 0
    try:
        for chunk in chunks:
            taken.append(chunk)
            size += len(chunk.data)
            if size >= BATCH_BYTES:
                return _Batch(taken, None, more=True)
    except Exception as error:
        return _Batch(taken, error, more=False)
    return _Batch(taken, None, more=False)
