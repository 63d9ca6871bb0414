"""Cumulative lines, read at the cost of what is new in them.

In the cumulative dialect each line of a message begins with the very bytes of the line before, up
to the end of that line's last block. Such a beginning is recognised as bytes, and only the rest is
parsed. The record says how many blocks it has `skipped`. A line that does not begin like a known
one, or is laid out differently, is read whole.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct, field

from unbraid.agents.claude.records import ClaudeRecord, decode, decode_plain
from unbraid.read.record import BAD_JSON

START = b'{"type":"assistant"'
CONTENT = b'"content":['
COMMA = b","[0]
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
    line, most often as far from the line's end (`rest`) as before. If it is found in the wrong
    place, the rest of the line is not JSON, and the line is read whole.
    """

    __slots__ = ("before", "begun", "blocks", "call", "header", "marker", "message_id", "rest")

    def __init__(self, line: bytes, at: int, blocks: list[bytes]) -> None:
        over = at + len(b",".join(blocks))
        self.message_id: str | None = None
        self.call: str | None = None  # that has spawned whose message it is
        self.header = line[:at]
        self.marker = line[over : over + MARKER_BYTES]
        self.rest = len(line) - over
        self.begun = bytearray(line[:over])
        self.blocks = len(blocks)
        # How much had begun, of how many blocks, before the latest one.
        self.before = len(self.header) + len(b",".join(blocks[:-1])), len(blocks) - 1

    def take_back(self) -> None:
        """Forgets the latest blocks."""
        begun, self.blocks = self.before
        del self.begun[begun:]


class Snapshots:
    """The latest lines of the messages that are being said."""

    def __init__(self) -> None:
        self._known: dict[bytes, Snapshot] = {}

    def decode(self, line: bytes) -> ClaudeRecord:
        """Returns a line as a record, without decoding again what the message's line before has
        said.
        """
        key = line[:KEY_BYTES]
        known = self._known.get(key)
        if known is None:
            return self._first(key, line)
        begun = known.begun
        if not line.startswith(begun):
            known.take_back()  # its last block may have grown in place
            if not line.startswith(begun):
                return self._first(key, line)
        at, skipped = len(begun), known.blocks
        try:
            text = known.header + line[at + 1 if line[at] == COMMA else at :]
            record = decode_plain(text)
        except (*BAD_JSON, IndexError):
            return self._first(key, line)
        message = record.message
        if (
            message is None
            or message.id != known.message_id
            or record.parent_tool_use_id != known.call
        ):
            return self._first(key, line)  # another message that begins alike
        content = message.content
        over = len(line) - known.rest
        if line[over : over + MARKER_BYTES] != known.marker:
            over = line.rfind(known.marker, at)
            known.rest = len(line) - over
        if over < at or not isinstance(content, list):
            return self._first(key, line)
        if content:
            known.before = at, skipped
            known.blocks = skipped + len(content)
            begun += line[at:over]
        record.raw, record.skipped = text, skipped
        return record

    def _first(self, key: bytes, line: bytes) -> ClaudeRecord:
        """Returns a line as a record, decoded whole, and notes how the line begins."""
        self._known.pop(key, None)
        record = decode(line)
        if not line.startswith(START):
            return record
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
            known = Snapshot(line, at, blocks)
            known.message_id, known.call = message.id, record.parent_tool_use_id
            if known.marker.startswith(b"]"):
                if len(self._known) >= MOST:
                    self._known.clear()  # those messages are over, or are read whole once more
                self._known[key] = known
        return record
