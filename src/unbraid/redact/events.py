"""Where the log's own events carry text in small parts, and events redacted each for itself."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.port import BlockEnd, Delta
from unbraid.events import FleetEvent, decode_event, encode
from unbraid.redact.secrets import redact
from unbraid.wire.record import BAD_JSON

NOTHING = Raw(b"")
SAID = frozenset(("text", "thinking"))
# These may come while a block is in the middle of a word.
ASIDES = frozenset(("progress", "session_meta", "unrecognized", "malformed"))


class _Event(Struct):
    type: str = ""
    # Raw, so that no line of an agent is misread for one of these.
    stream_id: Raw = NOTHING
    message_id: Raw = NOTHING
    block: Raw = NOTHING
    delta: Raw = NOTHING


_decode = msgspec.json.Decoder(_Event).decode


class EventDeltas:
    """A block belongs to its stream, and is whole when the stream says something else."""

    signs = b'"stream_id"', b'"done"'
    part_signs = (b'"delta"',)

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what an event says about blocks."""
        if b'"stream_id"' not in line and b'"done"' not in line:
            return None
        try:
            read = _decode(line)
        except BAD_JSON:
            return None
        if read.type == "done":
            return BlockEnd()
        if not read.stream_id or read.type in ASIDES:
            return None
        owner = bytes(read.stream_id).decode()
        text = bytes(read.delta)
        if read.type in SAID and text.startswith(b'"'):
            block = f"{read.type} {bytes(read.message_id).decode()} {bytes(read.block).decode()}"
            return Delta(owner, block, text, alone=True)
        return BlockEnd(owner)


def redact_event(event: FleetEvent) -> FleetEvent:
    """Returns an event without the secrets that it has in one piece."""
    data = encode(event)
    redacted = redact(data)
    return event if redacted == data else decode_event(redacted)
