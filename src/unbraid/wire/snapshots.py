"""Cumulative lines, read at the cost of what is new in them.

In the cumulative dialect each line of a message begins with the very bytes of the line before, up
to the end of that line's last block. Such a beginning is recognised as bytes, and only the rest is
parsed. The record says how many blocks it has `skipped`. A line that does not begin like a known
one, or is laid out differently, is read whole.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct, field

from unbraid.wire.claude import Block, Message, Usage
from unbraid.wire.record import BAD_JSON, Record, decode

START = b'{"type":"assistant"'
CONTENT = b'"content":['
KEY_BYTES = 96
MOST = 256
MOST_PIECES = 16


class _RawMessage(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    content: list[Raw] = field(default_factory=list)
    usage: Usage | None = None
    stop_reason: str | None = None


class _RawRecord(Struct, gc=False):
    message: _RawMessage
    parent_tool_use_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    uuid: str | None = None
    timestamp: str | int | float | None = None


class Snapshot:
    """How a message's latest line began, as pieces: what precedes its blocks, then block by block.

    Pieces spare copying the whole beginning once a line; now and then they are joined.
    """

    __slots__ = ("blocks", "header", "pieces")

    def __init__(self, header: bytes) -> None:
        self.header = header
        self.pieces = [header]
        self.blocks = 0

    def add(self, block: bytes) -> None:
        """The message has one block more."""
        self.pieces.append(b"," + block if self.blocks else block)
        self.blocks += 1
        if len(self.pieces) > MOST_PIECES:
            self.pieces[:-1] = [b"".join(self.pieces[:-1])]

    def drop_last(self) -> None:
        """The last block is about to be replaced by what it has grown into."""
        self.pieces.pop()
        self.blocks -= 1


_decode_raw = msgspec.json.Decoder(_RawRecord).decode
_decode_block = msgspec.json.Decoder(Block).decode


class Snapshots:
    """The latest lines of the messages that are being said."""

    def __init__(self) -> None:
        self._known: dict[bytes, Snapshot] = {}

    def decode(self, data: bytes, start: int, end: int) -> Record:
        """Read the line `data[start:end]`, skipping what the message's line before has said."""
        if not data.startswith(START, start):
            return decode(data[start:end])
        key = data[start : start + KEY_BYTES]
        known = self._known.get(key)
        if known is None:
            at = data.find(CONTENT, start, end) + len(CONTENT)
            known = Snapshot(data[start:at])
        else:
            at = start
            for piece in known.pieces:
                if not data.startswith(piece, at):
                    if piece is not known.pieces[-1] or not known.blocks:
                        del self._known[key]
                        return decode(data[start:end])
                    known.drop_last()  # the last block has grown in place
                    break
                at += len(piece)
            if known.blocks and data.startswith(b",", at):
                at += 1
        rest = known.header + data[at:end]
        record = self._read(rest, data, at, known)
        if record is None:
            self._known.pop(key, None)
            return decode(data[start:end])
        self._known[key] = known
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        return record

    def _read(self, text: bytes, data: bytes, at: int, known: Snapshot) -> Record | None:
        """A line without what is known of it; None where there is no short cut for it."""
        try:
            raw = _decode_raw(text)
            message = raw.message
            blocks = [_decode_block(block) for block in message.content]
        except BAD_JSON:
            return None
        if not message.id:
            return None  # then a beginning in common does not mean the same message
        skipped = known.blocks
        for block in message.content:
            words = bytes(block)
            # Laid out with spaces, or the blocks lie elsewhere.
            if not data.startswith(words, at) or not data.startswith((b",", b"]"), at + len(words)):
                return None
            at += len(words) + 1
            known.add(words)
        return Record(
            type="assistant",
            message=Message(message.id, message.model, blocks, message.usage, message.stop_reason),
            parent_tool_use_id=raw.parent_tool_use_id,
            agent_id_stdout=raw.agent_id,
            session_id=raw.session_id,
            uuid=raw.uuid,
            timestamp=raw.timestamp,
            raw=text,
            skipped=skipped,
        )
