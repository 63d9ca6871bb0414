"""Where OpenCode's event stream carries text in small parts: `message.part.delta`."""

from __future__ import annotations

from unbraid.agents.opencode.records import head_of
from unbraid.agents.port import BlockEnd, Delta


class OpenCodeDeltas:
    """A block is a part of a session's message."""

    signs = (b'"properties"',)
    part_signs = (b'"delta"',)

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks."""
        if b'"properties"' not in line:
            return None
        head = head_of(line)  # a capture of the stream has the prefix of server-sent events
        if (properties := head.properties) is None:
            return None
        session = properties.session_id or ""
        if head.type == "message.part.delta":
            text = bytes(properties.delta)
            if text.startswith(b'"'):
                return Delta(session, properties.part_id, text)
        if (part := properties.part) is not None:
            return BlockEnd(part.session_id or session, part.id)
        # Other agents of the run may be in the middle of a word.
        return BlockEnd(session) if head.type == "session.idle" else None
