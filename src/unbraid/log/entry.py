"""One event as the log keeps it: the few facts that readers select by, and its JSON as it will be
sent.
"""

from __future__ import annotations

from msgspec import Struct

from unbraid.events import PASSING_THROUGH, FleetEvent, decode_event, encode

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


class Entry(Struct, frozen=True, gc=False):
    """An event in the log. `data` is its JSON on one line, the same bytes for every reader."""

    cursor: int
    run: str
    seq: int
    ts: int
    stream_id: int
    type: str
    data: bytes

    @property
    def event(self) -> FleetEvent:
        """The event itself, decoded."""
        return decode_event(self.data)


def one_line(event: FleetEvent) -> bytes:
    """Returns the event's JSON without a line end in it.

    Raw parts are the agent's own bytes, and JSON allows CR and LF between tokens. Either would end
    an NDJSON line or an SSE field, so an agent could forge frames; inside valid JSON they are only
    ever whitespace.
    """
    data = encode(event)
    # What we have encoded ourselves has none.
    if type(event) in PASSING_THROUGH and (b"\n" in data or b"\r" in data):
        return data.translate(_LINE_ENDS)
    return data
