"""Cumulative lines, read at the cost of what is new in them.

In the cumulative dialect each line of a message begins with the very bytes of the line before, up
to the end of that line's last block. Such a beginning is recognised as bytes, and only the rest is
parsed. The record says how many blocks it has `skipped`. A line that does not begin like a known
one, or is laid out differently, is read whole.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from unbraid.agents.claude.records import ClaudeRecord, UnreadMessage, decode, decode_plain
from unbraid.read.record import BAD_JSON

START = b'{"type":"assistant"'
CONTENT = b'"content":['
COMMA = b","[0]
KEY_BYTES = 96
MARKER_BYTES = 16
MOST = 256

_decode_unread = msgspec.json.Decoder(UnreadMessage).decode


class Snapshot(Struct):
    """How a message's latest line began: what precedes its blocks (the header), then its blocks.

    `marker` is what follows the last block, by which the end of the blocks is found in the next
    line, most often as far from the line's end (`rest`) as before. If it is found in the wrong
    place, the rest of the line is not JSON, and the line is read whole.
    """

    message_id: str
    call: str | None  # that has spawned whose message it is
    header: bytes
    marker: bytes
    rest: int
    begun: bytearray
    blocks: int
    before: tuple[int, int]  # how much had begun, of how many blocks, before the latest one

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
        message = record.message
        # Without an id a beginning in common does not mean the same message.
        if message is None or not message.id or not line.startswith(START):
            return record
        at = line.find(CONTENT) + len(CONTENT)
        try:
            blocks = [bytes(block) for block in _decode_unread(line).message.content]
        except BAD_JSON:
            return record
        joined = b",".join(blocks)
        # Laid out with spaces, or with its blocks elsewhere, the line is not one for the short cut.
        if blocks and line.startswith(joined, at):
            over = at + len(joined)
            known = Snapshot(
                message_id=message.id,
                call=record.parent_tool_use_id,
                header=line[:at],
                marker=line[over : over + MARKER_BYTES],
                rest=len(line) - over,
                begun=bytearray(line[:over]),
                blocks=len(blocks),
                before=(at + len(b",".join(blocks[:-1])), len(blocks) - 1),
            )
            if known.marker.startswith(b"]"):
                if len(self._known) >= MOST:
                    self._known.clear()  # those messages are over, or are read whole once more
                self._known[key] = known
        return record
