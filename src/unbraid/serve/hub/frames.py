"""How an event looks on the wire, as an SSE frame or a JSON line; made once for all viewers.

`data` never holds a line end (the log sees to that), so no agent can end a frame or begin one.
"""

from __future__ import annotations

import enum

import msgspec
from msgspec import Struct

from unbraid.events import Draft, Gap, encode
from unbraid.log.entry import Entry

# A viewer that was cut off comes back after this long, by its own EventSource.
SSE_RETRY_MS = 1000


class Form(enum.Enum):
    """What a viewer asked for."""

    SSE = "text/event-stream"
    NDJSON = "application/x-ndjson"


class Cut(Struct, tag_field="type", tag="cut", kw_only=True):
    """To one viewer only, and its last: why we hang up, and the position to come back with.

    `reason`: slow (it did not read), shutdown, or error (the log failed).
    """

    reason: str
    last: int


class Frame(Struct, frozen=True, gc=False):
    """One event as every viewer of a channel gets it."""

    position: int
    type: str
    stream_id: int
    sse: bytes
    line: bytes

    def form(self, form: Form) -> bytes:
        """Returns the bytes for a viewer."""
        return self.sse if form is Form.SSE else self.line


def run_frame(entry: Entry) -> Frame:
    """Returns an event for the viewers of its run; its position is its `seq`."""
    head = f"id: {entry.seq}\nevent: {entry.type}\ndata: ".encode()
    sse = b"%b%b\n\n" % (head, entry.data)
    return Frame(
        position=entry.seq,
        type=entry.type,
        stream_id=entry.stream_id,
        sse=sse,
        line=entry.data + b"\n",
    )


def log_frame(entry: Entry) -> Frame:
    """Returns an event for the viewers of all runs; its id is the log's cursor, which is also in
    the data.
    """
    # Run ids consist of characters that need no escaping in JSON.
    data = b'{"cursor":%d,"run":"%b",%b' % (entry.cursor, entry.run.encode(), entry.data[1:])
    sse = b"id: %d\nevent: %b\ndata: %b\n\n" % (entry.cursor, entry.type.encode(), data)
    return Frame(
        position=entry.cursor,
        type=entry.type,
        stream_id=entry.stream_id,
        sse=sse,
        line=data + b"\n",
    )


def opening_frame(form: Form) -> bytes:
    """Returns the first bytes of a stream: how soon to reconnect after a loss."""
    return b"retry: %d\n\n" % SSE_RETRY_MS if form is Form.SSE else b""


def heartbeat_frame(form: Form) -> bytes:
    """Returns a heartbeat, which carries no event."""
    return b":\n\n" if form is Form.SSE else b"\n"


def unlogged_frame(event: Draft | Gap | Cut, form: Form, position: int | None = None) -> bytes:
    """Returns an event for one viewer that is not in the log; with a `position`, its id says where
    the viewer is.
    """
    data = msgspec.json.encode(event) if isinstance(event, Cut) else encode(event)
    if form is Form.NDJSON:
        return data + b"\n"
    head = b"" if position is None else b"id: %d\n" % position
    kind = str(event.__struct_config__.tag).encode()
    return b"%bevent: %b\ndata: %b\n\n" % (head, kind, data)
