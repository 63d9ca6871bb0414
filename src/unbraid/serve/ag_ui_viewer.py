"""A viewer of a run that gets it as AG-UI events, over SSE.

It stands behind a viewer of the hub, which handles replay, heartbeats and viewers that do not read,
and translates what that one gives out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import msgspec
from ag_ui.core import BaseEvent, CustomEvent
from msgspec import Struct

from unbraid.events import FleetEvent, FleetRetracted, decode_event
from unbraid.log.port import LogReader, run_pages
from unbraid.send.ag_ui import AgUiMessages, AgUiRun
from unbraid.serve.hub.viewer import Form, Viewer, heartbeat_frame, opening_frame
from unbraid.serve.services import Services


class _EventType(Struct):
    type: str = ""


class AgUiViewer:
    """Gives out one run as AG-UI. If it `stops`, it ends where the run waits for an answer."""

    def __init__(
        self, viewer: Viewer, run: AgUiRun, log: LogReader, name: str, *, stops: bool
    ) -> None:
        self._viewer, self._run, self._log, self._name = viewer, run, log, name
        self._stops = stops
        self._first = opening_frame(Form.SSE)
        self._ended = False

    @property
    def on_cut(self) -> Callable[[], None] | None:
        """What is called when it is cut off."""
        return self._viewer.on_cut

    @on_cut.setter
    def on_cut(self, called: Callable[[], None] | None) -> None:
        self._viewer.on_cut = called

    @property
    def sending_since(self) -> float | None:
        """When it gave out the chunk that is being sent; None while it looks for the next."""
        return self._viewer.sending_since

    def begin(self, events: Iterable[BaseEvent], seq: int) -> None:
        """Gives out something first: what was there before this viewer came."""
        self._first += frames(list(events), seq)
        self._ended = self._stops and self._run.interrupted

    async def chunk(self) -> bytes | None:
        """Returns the next bytes to send; None when there will be no more."""
        if self._first:
            first, self._first = self._first, b""
            return first
        while not self._ended:
            data = await self._viewer.chunk()
            if data is None:
                return None
            if found := await self._translated(data):
                return found
        return None

    def farewell(self) -> bytes:
        """Returns the last event of a viewer that was cut off: why."""
        reason = self._viewer.cut_reason
        if reason is None:
            return b""
        return frames([CustomEvent(name="cut", value={"reason": reason})], None)

    def cut(self, reason: str) -> None:
        """Cuts the viewer off: it gets nothing more."""
        self._viewer.cut(reason)

    async def _translated(self, data: bytes) -> bytes:
        if data == heartbeat_frame(Form.NDJSON):
            return heartbeat_frame(Form.SSE)
        found: list[bytes] = []
        for line in data.splitlines():
            kind = msgspec.json.decode(line, type=_EventType).type if line else ""
            if kind in ("", "draft", "cut"):
                continue
            if kind == "gap":
                gap = msgspec.json.decode(line)
                found.append(frames([CustomEvent(name="gap", value=gap)], None))
                continue
            event = decode_event(line)
            found.append(frames(await self._events(event), event.seq))
            if self._stops and self._run.interrupted:
                self._ended = True
                break
        return b"".join(found)

    async def _events(self, event: FleetEvent) -> list[BaseEvent]:
        events = self._run.apply(event)
        if isinstance(event, FleetRetracted):
            # The protocol has no way to take one message back, only to say which ones there are.
            _, messages = await fold(self._log, self._name, AgUiRun(self._name), until=event.seq)
            events.append(messages.snapshot(event.ts))
        return events


async def fold(log: LogReader, name: str, run: AgUiRun, until: int) -> tuple[int, AgUiMessages]:
    """Reads a run up to a seq; returns the time that it has come to, and its messages."""
    messages, ts = AgUiMessages(), 0
    async for page in run_pages(log, name, until=until):
        for entry in page:
            messages.apply(run.apply(entry.event))
        ts = page[-1].ts
    return ts, messages


@asynccontextmanager
async def watching(
    services: Services, name: str, run: AgUiRun, since: int, *, stops: bool = False
) -> AsyncIterator[AgUiViewer]:
    """Opens a viewer of a run whose events up to `since` were applied to `run`."""
    async with services.hub.watch(name, since, form=Form.NDJSON) as viewer:
        yield AgUiViewer(viewer, run, services.log, name=name, stops=stops)


def frames(events: list[BaseEvent], seq: int | None) -> bytes:
    """Returns events as SSE. The last one has the id: a viewer that comes back with it has had all
    of them.
    """
    data = [b"data: %b\n\n" % _encoded(event) for event in events]
    if data and seq is not None:
        data[-1] = b"id: %d\n%b" % (seq, data[-1])
    return b"".join(data)


def _encoded(event: BaseEvent) -> bytes:
    return event.model_dump_json(by_alias=True, exclude_none=True).encode()
