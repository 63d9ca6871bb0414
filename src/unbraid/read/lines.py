r"""Bytes to lines.

Invariants:
- A line ends at the byte `\n` and nowhere else: U+2028, U+0085 and form feeds live inside strings.
- The same bytes give the same lines however they were cut into chunks.
- Memory is bounded by one line; a line past the limit is dropped as it arrives and reported once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from unbraid.read.record import Record

# No agent's line is near this: what is, was made to fill its reader's memory.
DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024
HEAD_BYTES = 1024
PART_BYTES = 1 << 20
_raw = attrgetter("raw")


class Overlong(NamedTuple):
    """A line that passed the limit: how long it was, and its first bytes."""

    length: int
    head: bytes


class Lines:
    """Cuts one byte stream into lines; `offset` is where the line given last began."""

    def __init__(self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        if max_line_bytes < 1:
            raise ValueError(f"max_line_bytes must be at least 1, not {max_line_bytes}")
        self.max_line_bytes = max_line_bytes
        self.offset = 0
        self._fed = 0
        # A line that is not over yet; past the limit, its head.
        self._begun = bytearray()
        self._length = 0
        self._head_bytes = min(HEAD_BYTES, max_line_bytes)

    def feed(
        self, data: bytes, records: Sequence[Record] = ()
    ) -> Iterator[bytes | Record | Overlong]:
        """Takes more bytes, and yields the lines that they complete, without their newlines; or, if
        these bytes are whole lines that were decoded already, their `records`.

        They are cut one by one as they are asked for, and all of them have to be.
        """
        # Compared, because what is said twice can differ.
        if (
            records
            and not self._length
            and len(data) <= self.max_line_bytes
            and b"\n".join(map(_raw, records)) + b"\n" == data
        ):
            for record in records:
                self.offset, self._fed = self._fed, self._fed + len(record.raw) + 1
                yield record
            return
        if len(data) > self.max_line_bytes:  # else no line wholly inside can be over the limit
            for start in range(0, len(data), self.max_line_bytes):
                yield from self.feed(data[start : start + self.max_line_bytes])
            return
        fed = self._fed
        self._fed = fed + len(data)
        start = 0
        # Not `split`, which looks at every byte by itself.
        end = data.find(b"\n")
        if self._length and end >= 0:
            self._keep(memoryview(data)[:end])  # copied once, into its line
            yield self._take()
            start = end + 1
            end = data.find(b"\n", start)
        while end >= 0:
            self.offset = fed + start
            yield data[start:end]
            start = end + 1
            end = data.find(b"\n", start)
        if start < len(data):
            if not self._length:
                self.offset = fed + start
            self._keep(memoryview(data)[start:])

    def finish(self) -> Iterator[bytes | Overlong]:
        """Yields the last line, if the stream ended without a newline."""
        if self._length:
            yield self._take()

    def _keep(self, piece: bytes | memoryview) -> None:
        is_overlong = self._length > self.max_line_bytes
        self._length += len(piece)
        if not is_overlong:
            self._begun += piece
            if self._length > self.max_line_bytes:
                del self._begun[self._head_bytes :]

    def _take(self) -> bytes | Overlong:
        length, self._length = self._length, 0
        line = bytes(self._begun)
        self._begun.clear()
        return Overlong(length, line) if length > self.max_line_bytes else line


class LineParts:
    """Cuts one byte stream into lines, each with its newline, for code that passes all bytes on: a
    line past the limit comes in parts, because it is too long to be held. `is_overlong`: the bytes
    begin within such a line.
    """

    def __init__(
        self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES, *, is_overlong: bool = False
    ) -> None:
        self._max_line_bytes = max_line_bytes
        self._begun = bytearray()
        self._is_overlong = is_overlong

    @property
    def held_bytes(self) -> int:
        """How much of a line is held that has not ended yet."""
        return len(self._begun)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Takes bytes in; yields the lines that they complete."""
        start, end = 0, data.find(b"\n") + 1
        if self._is_overlong:
            self._is_overlong = not end
            yield data[: end or len(data)]
            start, end = end or len(data), data.find(b"\n", end) + 1 if end else 0
        elif self._begun and end:
            self._begun += data[:end]
            yield from self.finish()
            start, end = end, data.find(b"\n", end) + 1
        while end:
            yield data[start:end]
            start, end = end, data.find(b"\n", end) + 1
        if start < len(data):
            self._begun += data[start:]
            if len(self._begun) > self._max_line_bytes:
                self._is_overlong = True
                yield from self.finish()

    def finish(self) -> Iterator[bytes]:
        """Yields what is there of a line, if the stream has ended in it."""
        begun, self._begun = bytes(self._begun), bytearray()
        if len(begun) <= self._max_line_bytes:
            yield from (begun,) if begun else ()
            return
        for start in range(0, len(begun), PART_BYTES):
            yield begun[start : start + PART_BYTES]


class OpenLines:
    """How long the last line of each source is by now, to know which bytes are not worth storing:
    of a line past the limit, only the length counts.
    """

    def __init__(self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._lengths: dict[str, int] = {}

    def take(self, source: str, data: bytes) -> bool:
        """Takes more bytes of a source; returns whether all of them are past the limit."""
        before = self._lengths.get(source, 0)
        end = data.rfind(b"\n") + 1
        self._lengths[source] = (0 if end else before) + len(data) - end
        return before > self._max_line_bytes and not end

    def is_overlong(self, source: str) -> bool:
        """Returns whether the line that a source is in has passed the limit."""
        return self._lengths.get(source, 0) > self._max_line_bytes
