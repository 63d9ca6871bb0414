r"""Bytes to lines.

Invariants:
- A line ends at the byte `\n` and nowhere else: U+2028, U+0085 and form feeds live inside strings.
- The same bytes give the same lines however they were cut into chunks.
- Memory is bounded by one line; a line past the limit is dropped as it arrives and told once.
"""

from __future__ import annotations

from typing import NamedTuple

DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024
HEAD_BYTES = 1024
MOST_PIECES = 64


class Overlong(NamedTuple):
    """A line that passed the limit: where it began, how long it was, and its first bytes."""

    offset: int
    length: int
    head: bytes


class Lines:
    """Cuts one byte stream into lines; `offset` is where the first line of the last feed began."""

    def __init__(self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        self.max_line_bytes = max_line_bytes
        self.offset = 0
        self._next_offset = 0
        # A line that is not over yet: many pieces, and the latest few; past the limit, its head.
        self._begun = bytearray()
        self._pieces: list[bytes] = []
        self._length = 0
        self._head_bytes = min(HEAD_BYTES, max_line_bytes)

    def feed(self, data: bytes) -> list[bytes | Overlong]:
        """Take bytes in; give the lines they complete, without their newlines."""
        self.offset = self._next_offset
        whole: list[bytes] = []
        start = 0
        # Not `split`, which looks at every byte by itself.
        while (end := data.find(b"\n", start)) >= 0:
            whole.append(data[start:end])
            start = end + 1
        lines: list[bytes | Overlong] = whole  # type: ignore[assignment]
        if whole:
            self._next_offset += self._length + start
            if self._length:
                self._keep(whole[0])
                lines[0] = self._take()
            # A line wholly inside one chunk can be over the limit only if the chunk is.
            if len(data) > self.max_line_bytes:
                self._tell_overlong(lines)
        if start < len(data):
            self._keep(data[start:])
        return lines

    def finish(self) -> list[bytes | Overlong]:
        """Give the last line, if the stream ended without a newline."""
        self.offset = self._next_offset
        if not self._length:
            return []
        self._next_offset += self._length
        return [self._take()]

    def _tell_overlong(self, lines: list[bytes | Overlong]) -> None:
        offset = self.offset
        for i, line in enumerate(lines):
            if isinstance(line, bytes) and len(line) > self.max_line_bytes:
                lines[i] = Overlong(offset, len(line), line[: self._head_bytes])
            offset += length(line)

    def _keep(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > self.max_line_bytes and len(self._begun) == self._head_bytes:
            return  # a long line that is being dropped
        self._pieces.append(piece)
        # Pieces are joined once, at the end of their line, unless that would be a great many.
        if len(self._pieces) > MOST_PIECES or self._length > self.max_line_bytes:
            self._begun += b"".join(self._pieces)
            self._pieces.clear()
        if self._length > self.max_line_bytes:
            del self._begun[self._head_bytes :]

    def _take(self) -> bytes | Overlong:
        line: bytes | Overlong
        if self._length > self.max_line_bytes:
            line = Overlong(self.offset, self._length, bytes(self._begun))
        else:
            line = b"".join((self._begun, *self._pieces))
        self._begun.clear()
        self._pieces.clear()
        self._length = 0
        return line


def length(line: bytes | Overlong) -> int:
    """How many bytes of the stream a line and its newline take."""
    return (line.length if isinstance(line, Overlong) else len(line)) + 1
