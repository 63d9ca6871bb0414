"""One viewer: a position in a run, moved along by replay and then by the live window, which it
shares with the others.

Replay, then live, without a gap or a repeat. The viewer's position is the last event it was given.
Whatever comes after it is either in the channel's window or in the log, and both are in order, so
asking for "what is after my position" can neither skip nor repeat, whichever of the two answers.
The one race, an event that arrives between finding nothing and beginning to wait, is closed by the
channel's version: it is noted before looking.

Viewers that keep up take the same bytes from the channel; the backlog of one that does not is the
same window, so it is bounded, and a thousand slow viewers cost no more memory than one.

An event is made a frame (SSE) or a line of JSON once, for all viewers. `data` never holds a line
end (the log sees to that), so no agent can end a frame or begin one.
"""

from __future__ import annotations

import asyncio
import enum
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Collection, Iterable
from operator import attrgetter

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


_bytes_in = {Form.SSE: attrgetter("sse"), Form.NDJSON: attrgetter("line")}


def joined_frames(frames: Iterable[Frame], form: Form) -> bytes:
    """Returns the bytes of frames for a viewer."""
    return b"".join(map(_bytes_in[form], frames))


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


# One write is at most about this: what a transport holds for a viewer that stopped reading.
MAX_CHUNK_BYTES = 256 * 1024

_position = attrgetter("position")


class Channel:
    """A window of frames and the viewers that look through it."""

    def __init__(self, framing: Callable[[Entry], Frame], backlog_bytes: int) -> None:
        self.framing = framing
        self.viewers: set[Viewer] = set()
        # Counts what was pushed: who looked before and finds it changed looks again.
        self.version = 0
        # The window holds every frame after `floor`; None while it has never held any.
        self.floor: int | None = None
        self.last = 0
        self._backlog_bytes = backlog_bytes
        self._frames: list[Frame] = []
        self._bytes = 0
        self._chunks: dict[tuple[int, Form], tuple[bytes, list[Frame]]] = {}

    def push(self, entries: list[Entry]) -> None:
        """Adds the next entries and wakes the viewers; cuts off viewers that the window has left
        behind.
        """
        before = self.last
        for entry in entries:
            frame = self.framing(entry)
            # After a failure of the log, the feed may begin a little before where it was.
            if frame.position <= self.last:
                continue
            if self.floor is None:
                self.floor = frame.position - 1
            self._frames.append(frame)
            self._bytes += len(frame.sse)
            self.last = frame.position
        if self.last == before:
            return
        self._chunks.clear()
        if self._bytes > self._backlog_bytes:
            self._trim()
        self.version += 1
        for viewer in self.viewers:
            viewer.wake()

    @property
    def is_over(self) -> bool:
        """Whether the newest frame is the end of a run."""
        return bool(self._frames) and self._frames[-1].type == "done"

    def chunk(self, position: int, form: Form) -> tuple[bytes, list[Frame]]:
        """Returns the frames after `position`, joined once for all viewers that stand there, and as
        they are.
        """
        key = (position, form)
        found = self._chunks.get(key)
        if found is None:
            frames = self.slice(position)
            found = self._chunks[key] = (joined_frames(frames, form), frames)
        return found

    def slice(self, position: int) -> list[Frame]:
        """Returns the frames after `position`, as many as one write takes, and at least one."""
        start = bisect_right(self._frames, position, key=_position)
        size, end = 0, start
        while end < len(self._frames) and size < MAX_CHUNK_BYTES:
            size += len(self._frames[end].sse)
            end += 1
        return self._frames[start:end]

    def _trim(self) -> None:
        count = 0
        # The newest frame stays even if it is larger than the whole window.
        while self._bytes > self._backlog_bytes and count < len(self._frames) - 1:
            self._bytes -= len(self._frames[count].sse)
            count += 1
        if count:
            self.floor = self._frames[count - 1].position
            del self._frames[:count]
            for viewer in list(self.viewers):
                viewer.left_behind(self.floor)


MAX_DRAFT_BYTES = 64 * 1024


class Viewer:
    """Gives out chunks of bytes until the run is over or the viewer is cut off.

    `replay` returns the next entries after a position; `ended` whether nothing can come after it
    any more. Without that, something always can.
    """

    def __init__(
        self,
        channel: Channel,
        replay: Callable[[int], Awaitable[list[Entry]]],
        position: int,
        *,
        ended: Callable[[int], Awaitable[bool]] | None = None,
        form: Form = Form.SSE,
        stream_id: int | None = None,
        types: Collection[str] = (),
        gap: Gap | None = None,
    ) -> None:
        # `position` is the last event given out; `sent` the last whose bytes surely left.
        self.position = self.sent = position
        self.form = form
        self.delivered = 0
        self.cut_reason: str | None = None
        self.on_cut: Callable[[], None] | None = None
        self.sending_since: float | None = None
        self._channel, self._replay, self._ended = channel, replay, ended
        self._stream_id, self._types = stream_id, frozenset(types)
        # Whether it wants only some of the events.
        self._is_filtered = stream_id is not None or bool(types)
        self._first = opening_frame(form) + (b"" if gap is None else unlogged_frame(gap, form))
        self._drafts: list[bytes] = []
        self._waiting: asyncio.Future[None] | None = None
        self._live = self._over = self._beat = False

    @property
    def idle(self) -> bool:
        """Whether it has all there is, and waits for more."""
        return self._waiting is not None and not self._waiting.done()

    async def chunk(self) -> bytes | None:
        """Returns the next bytes to send; None when there will be no more."""
        self.sending_since, self.sent = None, self.position
        chunk = await self._next()
        if chunk is not None:
            self.sending_since = asyncio.get_running_loop().time()
        return chunk

    def farewell(self) -> bytes:
        """Returns the last event of a viewer that was cut off: why, and where it stood."""
        if self.cut_reason is None:
            return b""
        # Not `position`: a chunk whose write was broken off was never sent, and must come again.
        return unlogged_frame(Cut(reason=self.cut_reason, last=self.sent), self.form, self.sent)

    def cut(self, reason: str) -> None:
        """Cuts the viewer off: it gets nothing more."""
        if self.cut_reason is None and not self._over:
            self.cut_reason = reason
            self.wake()
            if self.on_cut is not None:
                self.on_cut()

    def wake(self) -> None:
        """Wakes the viewer: something has changed."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def left_behind(self, floor: int) -> None:
        """Notes that the window now begins after `floor`. A live viewer whose connection has still
        not accepted an older frame is cut off; one that only reads too slowly continues from the
        log.
        """
        if self._live and self.position < floor and self.sending_since is not None:
            self.cut("slow")

    def tick(self, now: float, stall_seconds: float) -> None:
        """Sends a heartbeat to a viewer that is idle, and cuts off one whose connection accepts
        nothing. Called at intervals.
        """
        if self.sending_since is None:
            self._beat = True
            self.wake()
        elif now - self.sending_since > stall_seconds:
            self.cut("slow")

    def draft(self, draft: Draft) -> None:
        """Shows what is not in the log yet, if the viewer is up to date; otherwise it would come
        too late to be of use.
        """
        if self._live and self.sending_since is None and not self._is_filtered:
            frame = unlogged_frame(draft, self.form)
            if sum(map(len, self._drafts)) + len(frame) <= MAX_DRAFT_BYTES:
                self._drafts.append(frame)
                self.wake()

    async def _next(self) -> bytes | None:
        if self._first:
            first, self._first = self._first, b""
            return first
        while self.cut_reason is None and not self._over:
            version = self._channel.version
            if drafts := self._drafts:
                self._drafts = []
                return b"".join(drafts)
            floor = self._channel.floor
            if floor is not None and self.position >= floor:
                self._live = True
                if self.position < self._channel.last:
                    if self._is_filtered:
                        chunk = self._pick(self._channel.slice(self.position))
                    else:
                        chunk, frames = self._channel.chunk(self.position, self.form)
                        self._reach(frames[-1], len(frames))
                    if chunk:
                        return chunk
                    continue
                # It has seen the end before, and came back while others still read.
                if self._ended is not None and self._channel.is_over:
                    break
            # Once it has found the end of the log, all that follows comes through the window.
            elif not self._live or floor is not None:
                entries = await self._replay(self.position)
                if entries:
                    if chunk := self._pick([self._channel.framing(entry) for entry in entries]):
                        return chunk
                    continue
                if self._ended is not None and await self._ended(self.position):
                    break
                self._live = True
            if self._beat:
                self._beat = False
                return heartbeat_frame(self.form)
            await self._changed(version)
        self._over = self.cut_reason is None
        return None

    async def _changed(self, version: int) -> None:
        # No await between looking and waiting, so nothing can come in between.
        if self._channel.version == version and self.cut_reason is None and not self._drafts:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None

    def _pick(self, frames: list[Frame]) -> bytes:
        picked = [frame for frame in frames if self._wants(frame)]
        self._reach(frames[-1], len(picked))
        return joined_frames(picked, self.form)

    def _wants(self, frame: Frame) -> bool:
        # `done` is always wanted: without it, a viewer that comes back would never learn that it is
        # over.
        return (self._ended is not None and frame.type == "done") or (
            (self._stream_id is None or frame.stream_id == self._stream_id)
            and (not self._types or frame.type in self._types)
        )

    def _reach(self, last: Frame, count: int) -> None:
        self.position = last.position
        self.delivered += count
        self._over = self._ended is not None and last.type == "done"
