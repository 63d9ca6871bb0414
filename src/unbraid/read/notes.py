"""Notes of our own about a run, as lines of a source: so they are in its log like everything else,
in order, and come out the same when its bytes are read again.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from unbraid.events import Error, Malformed, RelayEvent
from unbraid.read.record import BAD_JSON

# Not the name of a file: whatever agents write has another.
NOTES = "unbraid:notes"


class RunNote(Struct, omit_defaults=True):
    """Something that was done to a run from here: why, by a short name, and when."""

    message: str
    code: str = ""
    ts: int = 0

    def line(self) -> bytes:
        """Returns it as a line of the source."""
        return msgspec.json.encode(self) + b"\n"


_decode = msgspec.json.Decoder(RunNote).decode


def note_event(line: bytes, offset: int) -> RelayEvent:
    """Returns the event of a line of the source."""
    try:
        note = _decode(line)
    except BAD_JSON as error:
        raw = line[:200].decode("utf-8", "replace")
        return Malformed(raw=raw, reason=str(error), offset=offset)
    return Error("", note.ts, note.message, code=note.code or None)
