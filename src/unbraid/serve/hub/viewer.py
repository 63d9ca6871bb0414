"""One viewer: a position in a run, moved along by replay and then by the live window.

Replay, then live, without a gap or a repeat. The viewer's position is the last event it was given.
Whatever comes after it is either in the channel's window or in the log, and both are in order, so
asking for "what is after my position" can neither skip nor repeat, whichever of the two answers.
The one race, an event that arrives between finding nothing and beginning to wait, is closed by
`Signal`: the version is noted before looking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

from unbraid.events import Draft, Gap
from unbraid.log.entry import Entry
from unbraid.serve.hub.channel import Channel
from unbraid.serve.hub.frames import (
    Cut,
    Form,
    Frame,
    heartbeat_frame,
    opening_frame,
    unlogged_frame,
)

MAX_DRAFT_BYTES = 64 * 1024


class Replay(Protocol):
    """Where the past is read."""

    async def read(self, position: int) -> list[Entry]:
        """Returns the next entries after a position."""
        ...

    async def ended(self, position: int) -> bool:
        """Returns whether nothing can come after a position any more."""
        ...


class Viewer:
    """Gives out chunks of bytes until the run is over or the viewer is cut off."""

    def __init__(
        self,
        channel: Channel,
        replay: Replay,
        position: int,
        *,
        form: Form = Form.SSE,
        stream_id: int | None = None,
        types: Collection[str] = (),
        gap: Gap | None = None,
        ends: bool = True,
    ) -> None:
        # `position` is the last event given out; `sent` the last whose bytes surely left.
        self.position = self.sent = position
        self.form = form
        self.delivered = 0
        self.cut_reason: str | None = None
        self.on_cut: Callable[[], None] | None = None
        self.sending_since: float | None = None
        self._channel, self._replay, self._ends = channel, replay, ends
        self._stream_id, self._types = stream_id, frozenset(types)
        self._first = opening_frame(form) + (b"" if gap is None else unlogged_frame(gap, form))
        self._drafts: list[bytes] = []
        self._waiting: asyncio.Future[None] | None = None
        self._live = self._over = self._beat = False

    @property
    def filtered(self) -> bool:
        """Whether it wants only some of the events."""
        return self._stream_id is not None or bool(self._types)

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
        if self._live and self.sending_since is None and not self.filtered:
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
            if self._channel.holds_after(self.position):
                self._live = True
                if self.position < self._channel.last:
                    if chunk := self._from_window():
                        return chunk
                    continue
                # It has seen the end before, and came back while others still read.
                if self._ends and self._channel.is_over:
                    break
            # Once it has found the end of the log, all that follows comes through the window.
            elif not self._live or self._channel.floor is not None:
                entries = await self._replay.read(self.position)
                if entries:
                    if chunk := self._from_log(entries):
                        return chunk
                    continue
                if await self._replay.ended(self.position):
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

    def _from_window(self) -> bytes:
        if self.filtered:
            return self._pick(self._channel.slice(self.position))
        chunk, frames = self._channel.chunk(self.position, self.form)
        self._reach(frames[-1], len(frames))
        return chunk

    def _from_log(self, entries: list[Entry]) -> bytes:
        return self._pick([self._channel.framing(entry) for entry in entries])

    def _pick(self, frames: list[Frame]) -> bytes:
        picked = [frame.form(self.form) for frame in frames if self._wants(frame)]
        self._reach(frames[-1], len(picked))
        return b"".join(picked)

    def _wants(self, frame: Frame) -> bool:
        # `done` is always wanted: without it, a viewer that comes back would never learn that it is
        # over.
        return (self._ends and frame.type == "done") or (
            (self._stream_id is None or frame.stream_id == self._stream_id)
            and (not self._types or frame.type in self._types)
        )

    def _reach(self, last: Frame, count: int) -> None:
        self.position = last.position
        self.delivered += count
        self._over = self._ends and last.type == "done"
