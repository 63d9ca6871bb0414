"""One event as the log keeps it: the few facts that readers select by, and its JSON as it will be
sent.
"""

from __future__ import annotations

from msgspec import Struct

from unbraid.errors import LogError
from unbraid.events import PASSING_THROUGH, FleetEvent, decode_event, encode
from unbraid.read.record import BAD_JSON

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


class DamagedEvent(LogError):
    """The bytes of an event in the log are not those that were written."""

    def __init__(self, run: str, seq: int) -> None:
        copy = "in a copy of a shared log, `unbraid doctor --repair` restores it"
        own = f"in a log of this machine, `unbraid prune --run {run}` deletes the run"
        super().__init__(f"run {run}: event {seq} is damaged in the log; {copy}; {own}")
        self.run, self.seq = run, seq


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
        """The event itself, decoded. Raises DamagedEvent if that cannot be done any more."""
        try:
            return decode_event(self.data)
        except BAD_JSON:
            raise DamagedEvent(self.run, self.seq) from None


def entry_of(run: str, event: FleetEvent, data: bytes, *, cursor: int = 0) -> Entry:
    """Returns an event as an entry; `data` is its line."""
    return Entry(
        cursor=cursor,
        run=run,
        seq=event.seq,
        ts=event.ts,
        stream_id=event.stream_id,
        type=event.type,
        data=data,
    )


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
