"""Cumulative lines, read at the cost of what is new in them.

In the cumulative dialect each line of a message begins with the very bytes of the line before, up
to the end of that line's last block. Such a beginning is recognised as bytes, and only the rest is
parsed. The record says how many blocks it has `skipped`. A line that does not begin like a known
one, or is laid out differently, is read whole.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct, field

from unbraid.wire.claude import Block, Message, Usage
from unbraid.wire.record import BAD_JSON, Record, decode

START = b'{"type":"assistant"'
CONTENT = b'"content":['
KEY_BYTES = 96
MOST = 256


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


class Snapshot(NamedTuple):
    """How a message's latest line began."""

    prefix: bytes  # up to the end of its last block
    content: int  # where its first block begins
    last: int  # where its last block begins
    blocks: int


_decode_raw = msgspec.json.Decoder(_RawRecord).decode
_decode_block = msgspec.json.Decoder(Block).decode


class Snapshots:
    """The latest lines of the messages that are being said."""

    def __init__(self) -> None:
        self._known: dict[bytes, Snapshot] = {}

    def decode(self, line: bytes) -> Record:
        """Like `record.decode`, skipping what the message's line before has said."""
        if not line.startswith(START):
            return decode(line)
        key = line[:KEY_BYTES]
        known = self._known.get(key)
        if known is not None:
            prefix, content, last, blocks = known
            if line.startswith(prefix):
                end = len(prefix)
                start = end + 1 if line.startswith(b",", end) else end
                return self._read(line, key, line[:content] + line[start:], content, start, blocks)
            if line.startswith(prefix[:last]):
                # The last block has grown in place.
                rest = line[:content] + line[last:]
                return self._read(line, key, rest, content, last, blocks - 1)
        content = line.find(CONTENT) + len(CONTENT)
        return self._read(line, key, line, content, content, 0)

    def _read(
        self, line: bytes, key: bytes, text: bytes, content: int, start: int, skipped: int
    ) -> Record:
        try:
            raw = _decode_raw(text)
        except BAD_JSON:
            return decode(line)
        message = raw.message
        if not message.id:
            return decode(line)  # then a beginning in common does not mean the same message
        blocks = message.content
        at = last = start
        for block in blocks:
            last = at
            words = bytes(block)
            at += len(words)
            # Laid out with spaces, or the blocks lie elsewhere: no short cut for this line.
            if not line.startswith(words, last) or not line.startswith((b",", b"]"), at):
                return decode(line)
            at += 1
        if blocks:
            self._known[key] = Snapshot(line[: at - 1], content, last, skipped + len(blocks))
            if len(self._known) > MOST:
                del self._known[next(iter(self._known))]
        try:
            parsed = [_decode_block(block) for block in blocks]
        except BAD_JSON:
            return decode(line)
        return Record(
            type="assistant",
            message=Message(message.id, message.model, parsed, message.usage, message.stop_reason),
            parent_tool_use_id=raw.parent_tool_use_id,
            agent_id_stdout=raw.agent_id,
            session_id=raw.session_id,
            uuid=raw.uuid,
            timestamp=raw.timestamp,
            raw=line,
            skipped=skipped,
        )
