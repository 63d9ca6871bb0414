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

    __slots__ = ("_last", "_last_blocks", "begun", "blocks", "header", "marker")

    def __init__(self, header: bytes, marker: bytes) -> None:
        self.header = header
        self.marker = marker
        self.begun = bytearray(header)
        self.blocks = 0
        self._last = len(header)  # where the latest blocks begin, and how many they are
        self._last_blocks = 0

    def add(self, piece: bytes, blocks: int) -> None:
        """The message has more blocks."""
        self._last, self._last_blocks = len(self.begun), blocks
        self.begun += piece
        self.blocks += blocks

    def take_back(self) -> None:
        """Forget the latest blocks."""
        del self.begun[self._last :]
        self.blocks -= self._last_blocks
        self._last_blocks = 0


class Snapshots:
    """The latest lines of the messages that are being said."""

    def __init__(self) -> None:
        self._known: dict[bytes, Snapshot] = {}

    def decode(self, data: bytes, start: int, end: int) -> Record:
        """Read the line `data[start:end]`, skipping what the message's line before has said."""
        if not data.startswith(START, start):
            return decode(data, start, end)
        key = data[start : start + KEY_BYTES]
        known = self._known.get(key)
        if known is None:
            return self._first(key, data, start, end)
        begun = known.begun
        if not data.startswith(begun, start):
            known.take_back()  # its last block may have grown in place
            if not data.startswith(begun, start):
                return self._first(key, data, start, end)
        at = start + len(begun)
        skipped = known.blocks
        rest = at + 1 if skipped and data[at : at + 1] == b"," else at
        text = known.header + data[rest:end]
        try:
            record = decode_plain(text)
        except BAD_JSON:
            return self._first(key, data, start, end)
        content = record.message.content if record.message is not None else None
        over = data.rfind(known.marker, at, end)
        if not isinstance(content, list) or over < 0:
            return self._first(key, data, start, end)
        if content:
            known.add(data[at:over], len(content))
        record.span = (text, 0, len(text), skipped)
        return record

    def _first(self, key: bytes, data: bytes, start: int, end: int) -> Record:
        """Read a line whole, and note how it begins."""
        self._known.pop(key, None)
        record = decode(data, start, end)
        at = data.find(CONTENT, start, end) + len(CONTENT)
        header = data[start:at]
        try:
            message = _decode_raw(data[start:end]).message
        except BAD_JSON:
            return record
        blocks = [bytes(block) for block in message.content]
        joined = b",".join(blocks)
        # Without an id a beginning in common does not mean the same message; laid out with spaces,
        # or with its blocks elsewhere, the line is not one for the short cut.
        if message.id and blocks and data.startswith(joined, at):
            over = at + len(joined)
            known = Snapshot(header, data[over : over + MARKER_BYTES])
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
