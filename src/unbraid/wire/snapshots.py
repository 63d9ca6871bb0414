"""Cumulative lines, read at the cost of what is new in them.

In the cumulative dialect each line of a message begins with the very bytes of the line before, up
to the end of that line's last block. Such a beginning is recognised as bytes, and only the rest is
parsed. The record says how many blocks it has `skipped`. A line that does not begin like a known
one, or is laid out differently, is read whole.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct, field

from unbraid.wire.record import BAD_JSON, Record, decode, decode_plain

START = b'{"type":"assistant"'
CONTENT = b'"content":['
KEY_BYTES = 96
MARKER_BYTES = 16
MOST = 256


class _RawMessage(Struct, gc=False):
    id: str | None = None
    content: list[Raw] = field(default_factory=list)


class _RawLine(Struct, gc=False):
    message: _RawMessage


_decode_raw = msgspec.json.Decoder(_RawLine).decode


class Snapshot:
    """How a message's latest line began: what precedes its blocks (the header), then its blocks.

    `marker` is what follows the last block, by which the end of the blocks is found in the next
    line. Should it be found in the wrong place, what is left of the line after that is no JSON, and
    is read whole.
    """

    __slots__ = ("before", "begun", "blocks", "header", "marker")

    def __init__(self, header: bytes, marker: bytes) -> None:
        self.header = header
        self.marker = marker
        self.begun = bytearray(header)
        self.blocks = 0
        self.before = len(header), 0  # how much had begun, of how many blocks, before the latest

    def add(self, piece: bytes, blocks: int) -> None:
        """The message has more blocks."""
        self.before = len(self.begun), self.blocks
        self.begun += piece
        self.blocks += blocks

    def take_back(self) -> None:
        """Forget the latest blocks."""
        begun, self.blocks = self.before
        del self.begun[begun:]


class Snapshots:
    """The latest lines of the messages that are being said."""

    def __init__(self) -> None:
        self._known: dict[bytes, Snapshot] = {}

    def decode(self, line: bytes) -> Record:
        """Read a line, skipping what the message's line before has said."""
        if not line.startswith(START):
            return decode(line)
        key = line[:KEY_BYTES]
        known = self._known.get(key)
        if known is None:
            return self._first(key, line)
        begun = known.begun
        if not line.startswith(begun):
            known.take_back()  # its last block may have grown in place
            if not line.startswith(begun):
                return self._first(key, line)
        at = len(begun)
        skipped = known.blocks
        text = known.header + line[at + 1 if line.startswith(b",", at) else at :]
        try:
            record = decode_plain(text)
        except BAD_JSON:
            return self._first(key, line)
        content = record.message.content if record.message is not None else None
        over = line.rfind(known.marker, at)
        if not isinstance(content, list) or over < 0:
            return self._first(key, line)
        if content:
            known.add(line[at:over], len(content))
        record.raw, record.skipped = text, skipped
        return record

    def _first(self, key: bytes, line: bytes) -> Record:
        """Read a line whole, and note how it begins."""
        self._known.pop(key, None)
        record = decode(line)
        at = line.find(CONTENT) + len(CONTENT)
        try:
            message = _decode_raw(line).message
        except BAD_JSON:
            return record
        blocks = [bytes(block) for block in message.content]
        joined = b",".join(blocks)
        # Without an id a beginning in common does not mean the same message; laid out with spaces,
        # or with its blocks elsewhere, the line is not one for the short cut.
        if message.id and blocks and line.startswith(joined, at):
            over = at + len(joined)
            known = Snapshot(line[:at], line[over : over + MARKER_BYTES])
            if known.marker.startswith(b"]"):
                if len(self._known) >= MOST:
                    self._known.clear()  # those messages are over, or are read whole once more
                self._known[key] = known
                if len(blocks) > 1:
                    last = len(blocks[-1]) + 1
                    known.add(joined[:-last], len(blocks) - 1)
                    known.add(joined[-last:], 1)
                else:
                    known.add(joined, 1)
        return record
