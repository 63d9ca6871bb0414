"""Bytes of a source on their way to the translator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from unbraid.read.record import Record

JOINED_BYTES = 1 << 18
# The `arrived_ms` of bytes whose arrival says nothing about when they were written.
STORED = -1


class Chunk(NamedTuple):
    """Bytes of a source with the offset at which they begin.

    `arrived_ms` is when they came, in milliseconds since 1970; the recorder or sender notes it,
    because it dates what has no time of its own. A source that knows better when they were written
    says that.
    """

    source: str
    offset: int
    data: bytes
    arrived_ms: int = 0

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in its lines, one a line, if the source has decoded them already; otherwise
        none. A reader may use them in place of the bytes.
        """
        return ()


class DecodedChunk(Chunk):
    """Whole lines, and their records. A chunk that is made of it, by `_replace`, has none: what is
    changed is decoded again.
    """

    records: tuple[Record, ...] = ()


class ChunkedSource:
    """A source whose bytes are put together here, from an offset on: it counts the offsets of its
    chunks.
    """

    def __init__(self, name: str, offset: int = 0) -> None:
        self._name, self._offset = name, offset

    def chunk(self, data: bytes) -> Chunk:
        """Returns more bytes of the source as its next chunk."""
        offset = self._offset
        self._offset = offset + len(data)
        return Chunk(self._name, offset, data)


def joined(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yields the same bytes in fewer chunks: neighbours of one source become one, up to about
    `JOINED_BYTES`. A reader that merges sources gives out single lines, and each chunk has a price.
    """
    held: list[Chunk] = []
    size = 0
    try:
        for chunk in chunks:
            if held and not (size < JOINED_BYTES and _continues(held[-1], chunk)):
                yield held[0] if len(held) == 1 else _one(held)
                held, size = [], 0
            held.append(chunk)
            size += len(chunk.data)
    except Exception:
        # A source does not give out a second time what it has given out.
        if held:
            yield held[0] if len(held) == 1 else _one(held)
        raise
    if held:
        yield held[0] if len(held) == 1 else _one(held)


def _continues(last: Chunk, chunk: Chunk) -> bool:
    # A chunk without bytes is a note of its own.
    return (
        chunk.source == last.source
        and chunk.offset == last.offset + len(last.data)
        and chunk.arrived_ms == last.arrived_ms
        and bool(chunk.data and last.data)
    )


def _one(chunks: list[Chunk]) -> Chunk:
    one = chunks[0]._replace(data=b"".join([chunk.data for chunk in chunks]))
    if not all(chunk.records for chunk in chunks):
        return one
    decoded = DecodedChunk(*one)
    decoded.records = tuple(chain.from_iterable(chunk.records for chunk in chunks))
    return decoded
