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
MOST_PIECES = 8


class _RawMessage(Struct, gc=False):
    id: str | None = None
    content: list[Raw] = field(default_factory=list)


class _RawLine(Struct, gc=False):
    message: _RawMessage


_decode_raw = msgspec.json.Decoder(_RawLine).decode


class Snapshot:
    """How a message's latest line began: what precedes its blocks, then its blocks in pieces.

    Pieces spare copying the whole beginning once a line; now and then they are joined. `marker` is
    what follows the last block, by which the end of the blocks is found in the next line. Should it
    be found in the wrong place, what is left of the line after that is no JSON, and is read whole.
    """

    __slots__ = ("blocks", "header", "marker", "pieces")

    def __init__(self, header: bytes, marker: bytes) -> None:
        self.header = header
        self.marker = marker
        self.pieces: list[tuple[bytes, int]] = []  # bytes, and how many blocks they are
        self.blocks = 0

    def add(self, piece: bytes, blocks: int) -> None:
        """The message has more blocks."""
        self.pieces.append((piece, blocks))
        self.blocks += blocks
        if len(self.pieces) > MOST_PIECES:
            *older, last = self.pieces
            self.pieces = [(b"".join(p for p, _ in older), sum(n for _, n in older)), last]


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
        if known is None or not data.startswith(known.header, start):
            return self._first(key, data, start, end)
        at = start + len(known.header)
        for piece, blocks in known.pieces:
            if not data.startswith(piece, at):
                if piece is not known.pieces[-1][0]:
                    return self._first(key, data, start, end)
                known.pieces.pop()  # the last block has grown in place
                known.blocks -= blocks
                break
            at += len(piece)
        skipped = known.blocks
        rest = at + 1 if skipped and data.startswith(b",", at) else at
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
