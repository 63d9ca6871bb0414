"""The little of a line that says where it belongs: its time, its session, and which call it is."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct, field

from unbraid.agents.opencode.records import Times
from unbraid.read.record import BAD_JSON, MISSING, milliseconds, read_as
from unbraid.read.sse import data_of
from unbraid.read.tracks import UNKNOWN, LineOrder


class Subject(Struct, gc=False):
    """What an event is about."""

    time: Times | None = None
    state: Subject | None = None

    @property
    def latest(self) -> int:
        """When it last changed, as far as it says."""
        own = self.time.latest if self.time is not None else 0
        return max(own, self.state.latest if self.state is not None else 0)


class Subjects(Struct, gc=False):
    """The session, message or part of an event."""

    info: Subject | None = None
    part: Subject | None = None

    @property
    def latest(self) -> int:
        """When the last of them changed."""
        return max((each.latest for each in (self.info, self.part) if each is not None), default=0)


class EventHead(Struct, gc=False):
    """A line of `/event` or `/global/event`, or a row of the database as such a line."""

    timestamp: str | int | float | None = None
    properties: Subjects | None = None
    payload: EventHead | None = None  # of `/global/event`


class PartHead(Struct, gc=False):
    """Which part a line is about; parts are numbered as the model made them."""

    id: str = ""
    session_id: str | None = field(default=None, name="sessionID")


class InfoHead(Struct, gc=False):
    """Which session or message an event is about."""

    id: str | None = None
    session_id: str | None = field(default=None, name="sessionID")
    parent_id: str | None = field(default=None, name="parentID")


class PropertiesHead(Struct, gc=False):
    """The session that an event is about, and the text in it as it is written."""

    session_id: str | None = field(default=None, name="sessionID")
    part_id: str = field(default="", name="partID")
    delta: Raw = MISSING
    info: InfoHead | None = None
    part: PartHead | None = None


class AddressedEvent(Struct, gc=False):
    """An event of `/event` without its times: what it is and which session it is about."""

    type: str = ""
    properties: PropertiesHead | None = None


class PrintedHead(Struct, gc=False):
    """A line of `run --format json`."""

    type: str = ""
    timestamp: str | int | float | None = None
    session_id: str | None = field(default=None, name="sessionID")
    part: PartHead | None = None


addressed_event = msgspec.json.Decoder(AddressedEvent).decode
_event = msgspec.json.Decoder(EventHead).decode
_printed = msgspec.json.Decoder(PrintedHead).decode


def event_order(line: bytes) -> LineOrder:
    """Returns where an event belongs. It dates what it is about, and is repeated when that is over:
    only a time that is new dates the event itself.
    """
    try:
        head = _event(data_of(line))
    except BAD_JSON:
        return UNKNOWN
    head = head.payload or head
    about = head.properties.latest if head.properties is not None else 0
    return LineOrder(at=milliseconds(head.timestamp), about=about)


def printed_head(line: bytes) -> PrintedHead | None:
    """Returns a line that was printed; None if it cannot be read."""
    try:
        return _printed(line)
    except BAD_JSON:
        return None


def printed_order(line: bytes) -> LineOrder:
    """Returns where a printed line belongs. Parallel calls are printed as they end; each names its
    part, by which they can be put back as the model made them.
    """
    head = printed_head(line) or read_as(PrintedHead, line)
    is_call = head.type == "tool_use"
    turn = (head.part.id if head.part is not None else "") if is_call else None
    return LineOrder(at=milliseconds(head.timestamp), turn=turn)
