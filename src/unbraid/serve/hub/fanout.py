"""One feed in, many viewers out.

The hub follows the whole log once. Each run that has viewers has a channel; an event is encoded
when it reaches its channel, once, however many viewers there are. All of it happens on one event
loop, so that between two awaits nothing changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from unbraid.errors import CallerError, LogError
from unbraid.events import Draft, Gap
from unbraid.log.entry import Entry
from unbraid.log.port import Feed, LogUnusable, WholeLogReader
from unbraid.serve.hub.viewer import Channel, Form, Viewer, joined_frames, log_frame, run_frame
from unbraid.system.tasks import cancel_task

# The log could not be read. Its viewers are sent away, and find it again when they come back.
HUB_FEED_RETRY_SECONDS = 0.5
# An event for it would have to be kept up to date for every chunk of every viewer.
HUB_SETTLE_STEP_SECONDS = 0.01

_ALL = ""


@dataclass
class HubStats:
    """What the hub has done so far."""

    visits: int = 0
    delivered: int = 0
    cut: int = 0


class TooManyViewers(CallerError):
    """The hub is full."""


class Hub:
    """Shows a log to viewers. Use as `async with Hub(log) as hub`. What waits in one run does not
    hold up viewers of another.
    """

    def __init__(
        self,
        log: WholeLogReader,
        *,
        backlog_bytes: int = 8 * 1024 * 1024,
        heartbeat_seconds: float = 15.0,
        stall_seconds: float = 30.0,
        max_viewers: int = 10_000,
        on_dispatch: Callable[[list[Entry]], None] | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.stats = HubStats()
        self._settle = settle
        self._on_dispatch = on_dispatch
        self._log = log
        self._backlog_bytes, self._max_viewers = backlog_bytes, max_viewers
        self._heartbeat_seconds, self._stall_seconds = heartbeat_seconds, stall_seconds
        self._channels: dict[str, Channel] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._closed: str | None = None
        self._cursor = 0
        self._empty = asyncio.Event()
        self._empty.set()

    async def __aenter__(self) -> Hub:
        # Before the first viewer: what a viewer does not find in the log must come through the
        # feed.
        self._cursor = (await self._log.bounds())[1]
        self._tasks = [asyncio.create_task(self._feed()), asyncio.create_task(self._tick())]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.dismiss("shutdown")
        for task in self._tasks:
            await cancel_task(task)

    @property
    def viewers(self) -> int:
        """How many are looking."""
        return sum(len(channel.viewers) for channel in self._channels.values())

    @asynccontextmanager
    async def watch(
        self,
        run: str,
        since: int = 0,
        *,
        form: Form = Form.SSE,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> AsyncIterator[Viewer]:
        """Opens a viewer of one run, from after `since`."""
        first, last = await self._run_bounds(run)
        if since > last and self._settle is not None:
            # It may have been seen on another machine, whose copy of the log is ahead of ours.
            await self._settle()
            first, last = await self._run_bounds(run)
        # A position in the future is of a log that is no more; go on from what there is.
        position, gap = _start(min(since, last), first)
        channel = self._channel(run)

        async def ended(position: int) -> bool:
            summary = await self._log.run(run)
            return summary is None or (summary.over and position >= summary.last_seq)

        viewer = Viewer(
            channel,
            partial(self._read, run),
            position,
            ended=ended,
            form=form,
            stream_id=stream_id,
            types=types,
            gap=gap,
        )
        with self._looking(run, channel, viewer):
            yield viewer

    async def _read(self, run: str, since: int) -> list[Entry]:
        # What is not read comes through the feed.
        return self._log.fed(await self._log.read(run, since))

    async def _read_all(self, since: int) -> list[Entry]:
        return self._log.fed(await self._log.read_all(since), ordered=True)

    async def _run_bounds(self, run: str) -> tuple[int, int]:
        summary = await self._log.run(run)
        return (1, 0) if summary is None else (summary.first_seq, summary.last_seq)

    @asynccontextmanager
    async def watch_all(
        self, since: int | None = None, *, form: Form = Form.SSE, types: Collection[str] = ()
    ) -> AsyncIterator[Viewer]:
        """Opens a viewer of all runs, from after the cursor `since` (None: from now on)."""
        first, last = await self._log.bounds()
        if since is not None and since > last and self._settle is not None:
            await self._settle()
            first, last = await self._log.bounds()
        position, gap = _start(last if since is None else min(since, last), first)
        channel = self._channel(_ALL)
        viewer = Viewer(channel, self._read_all, position, form=form, types=types, gap=gap)
        with self._looking(_ALL, channel, viewer):
            yield viewer

    async def page(
        self,
        run: str,
        since: int,
        limit: int,
        *,
        form: Form = Form.SSE,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> bytes:
        """Returns up to `limit` events of a run after `since`, without waiting for more."""
        entries = await self._log.read(run, since, limit, stream_id=stream_id, types=types)
        return joined_frames(map(run_frame, entries), form)

    def draft(self, run: str, draft: Draft) -> None:
        """Shows live viewers of a run what is not in the log yet."""
        if channel := self._channels.get(run):
            for viewer in channel.viewers:
                viewer.draft(draft)

    def dismiss(self, reason: str) -> None:
        """Cuts off every viewer, and accepts no more."""
        self._closed = reason
        self._cut_all(reason)

    def _cut_all(self, reason: str) -> None:
        for channel in list(self._channels.values()):
            for viewer in list(channel.viewers):
                viewer.cut(reason)

    async def settled(self, seconds: float) -> None:
        """Waits until every viewer has got what is in the log now, but no longer than this."""
        _, last = await self._log.bounds()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                # An event for it would have to be kept up to date for every chunk of every viewer.
                while self._cursor < last or not self._idle():  # noqa: ASYNC110
                    await asyncio.sleep(HUB_SETTLE_STEP_SECONDS)

    def _idle(self) -> bool:
        return all(v.idle for channel in self._channels.values() for v in channel.viewers)

    async def emptied(self) -> None:
        """Waits until the last viewer has gone."""
        await self._empty.wait()

    def _channel(self, name: str) -> Channel:
        if self._closed is not None:
            raise LogError(f"the hub is closed: {self._closed}")
        if self.viewers >= self._max_viewers:
            raise TooManyViewers(f"too many viewers: the limit is {self._max_viewers}")
        if name not in self._channels:
            framing = log_frame if name == _ALL else run_frame
            self._channels[name] = Channel(framing, self._backlog_bytes)
        return self._channels[name]

    @contextmanager
    def _looking(self, name: str, channel: Channel, viewer: Viewer) -> Iterator[None]:
        channel.viewers.add(viewer)
        self.stats.visits += 1
        self._empty.clear()
        try:
            yield
        finally:
            channel.viewers.discard(viewer)
            if not channel.viewers and self._channels.get(name) is channel:
                del self._channels[name]
            self.stats.delivered += viewer.delivered
            self.stats.cut += viewer.cut_reason == "slow"
            if not self._channels:
                self._empty.set()

    async def _feed(self) -> None:
        while self._closed is None:
            try:
                async for feed in self._log.feed(self._cursor):
                    self._dispatch(feed)
                    if feed.ordered:
                        self._cursor = feed.ordered[-1].cursor
            except LogError as error:
                # Nothing can be shown that is not surely written: better no viewers than wrong
                # ones. They come back with their positions, and a log that is only busy is there
                # again by then.
                self._cut_all("error")
                if isinstance(error, LogUnusable) and error.reason == "closed":
                    self._closed = "error"
                await asyncio.sleep(HUB_FEED_RETRY_SECONDS)

    def _dispatch(self, feed: Feed) -> None:
        if self._on_dispatch is not None and feed.entries:
            self._on_dispatch(feed.entries)
        if _ALL in self._channels and feed.ordered:
            self._channels[_ALL].push(feed.ordered)
        by_run: dict[str, list[Entry]] = {}
        for entry in feed.entries:
            if entry.run in self._channels:
                by_run.setdefault(entry.run, []).append(entry)
        for run, entries in by_run.items():
            self._channels[run].push(entries)

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            viewers = [v for channel in self._channels.values() for v in channel.viewers]
            # A few at a time: thousands of signs of life at once would hold up everything else.
            slices = 1 + len(viewers) // 200
            for number in range(slices):
                await asyncio.sleep(self._heartbeat_seconds / slices)
                for viewer in viewers[number::slices]:
                    viewer.tick(loop.time(), self._stall_seconds)


def _start(since: int, first: int) -> tuple[int, Gap | None]:
    """Returns the position to begin at, and what is missing before it."""
    if since >= first - 1:
        return since, None
    return first - 1, Gap(first=since + 1, last=first - 1)
