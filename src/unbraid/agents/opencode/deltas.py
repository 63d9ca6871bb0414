"""Where OpenCode's event stream carries text in small parts: `message.part.delta`."""

from __future__ import annotations

from unbraid.agents.opencode.heads import addressed_event
from unbraid.agents.port import BlockEnd, Delta
from unbraid.read.record import BAD_JSON


class OpenCodeDeltas:
    """A block is a part of a session's message."""

    signs = (b'"properties"',)
    part_signs = (b'"delta"',)

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks."""
        if b'"properties"' not in line:
            return None
        try:
            # A capture of the stream has the prefix of server-sent events.
            read = addressed_event(line.removeprefix(b"data:"))
        except BAD_JSON:
            return None
        if (properties := read.properties) is None:
            return None
        session = properties.session_id or ""
        if read.type == "message.part.delta":
            text = bytes(properties.delta)
            if text.startswith(b'"'):
                return Delta(session, properties.part_id, text)
        if (part := properties.part) is not None:
            return BlockEnd(part.session_id or session, part.id)
        # Other agents of the run may be in the middle of a word.
        return BlockEnd(session) if read.type == "session.idle" else None
