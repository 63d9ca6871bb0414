"""One event as the log keeps it: the few facts that readers select by, and its JSON as it will be
sent.
"""

from __future__ import annotations

from msgspec import Struct

from unbraid.errors import LogError
from unbraid.events import FleetEvent, decode_event
from unbraid.read.record import BAD_JSON


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
