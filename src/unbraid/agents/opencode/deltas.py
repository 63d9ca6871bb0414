"""Where OpenCode's event stream carries text in small parts: `message.part.delta`."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.port import BlockEnd, Delta
from unbraid.wire.record import BAD_JSON

NOTHING = Raw(b"")


class _Part(Struct):
    id: str = ""
    session_id: str = msgspec.field(default="", name="sessionID")


class _Properties(Struct):
    delta: Raw = NOTHING
    session_id: str = msgspec.field(default="", name="sessionID")
    part_id: str = msgspec.field(default="", name="partID")
    part: _Part | None = None


class _ServerEvent(Struct):
    type: str = ""
    properties: _Properties | None = None


_decode = msgspec.json.Decoder(_ServerEvent).decode


class OpenCodeDeltas:
    """A block is a part of a session's message."""

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks."""
        if b'"properties"' not in line:
            return None
        try:
            # A capture of the stream has the prefix of server-sent events.
            read = _decode(line.removeprefix(b"data:"))
        except BAD_JSON:
            return None
        if (properties := read.properties) is None:
            return None
        if read.type == "message.part.delta":
            text = bytes(properties.delta)
            if text.startswith(b'"'):
                return Delta(properties.session_id, properties.part_id, text)
        if (part := properties.part) is not None:
            return BlockEnd(part.session_id or properties.session_id, part.id)
        # Other agents of the run may be in the middle of a word.
        return BlockEnd(properties.session_id) if read.type == "session.idle" else None
