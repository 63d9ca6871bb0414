"""`unbraid top` over a run of 50,000 events and 200 agents: until it is shown, and how long a key
may have to wait meanwhile; then the same while as much again is being written.

    python -m benchmarks.top

The view is drawn in full, on a screen of 120 by 40 that is not connected to a terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from benchmarks.table import Measured, table
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.steer.controllers import Controllers
from unbraid.tui.app import Top
from unbraid.tui.services import ViewServices

EVENTS, AGENTS, BATCH = 50_000, 200, 500
BEAT_SECONDS = 0.005
USABLE_SECONDS = 2.0
FRAME_MS = 250.0


def fleet() -> list[e.FleetEvent]:
    """A main agent and its helpers, who talk in turn."""
    common: dict[str, Any] = {"ts": 1_700_000_000_000, "agent": "main"}
    events: list[e.FleetEvent] = [
        e.RequestReceived(seq=1, stream_id=0, depth=0, source="made", **common)
    ]
    for stream in range(AGENTS):
        parent = None if stream == 0 else 0
        start = e.StreamStart(
            seq=len(events) + 1, stream_id=stream, depth=min(stream, 1), parent_stream_id=parent,
            description=f"helper {stream}", **common,
        )  # fmt: skip
        events.append(start)
    return events + said(len(events) + 1, EVENTS - len(events))


def said(first: int, count: int) -> list[e.FleetEvent]:
    """Every second word is the main agent's."""
    return [
        e.Text(
            seq=seq, ts=1_700_000_000_000 + seq, stream_id=0 if seq % 2 else seq % AGENTS, depth=0,
            agent="main", delta=f"word {seq} of many words\n", message_id=f"m{seq // 40}", block=0,
        )
        for seq in range(first, first + count)
    ]  # fmt: skip


@contextlib.asynccontextmanager
async def beating() -> AsyncIterator[list[float]]:
    """How long the loop was held up, each time that it was to come back at once."""
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(BEAT_SECONDS)
            gaps.append(time.perf_counter() - began - BEAT_SECONDS)

    task = asyncio.create_task(beat())
    try:
        yield gaps
    finally:
        task.cancel()


async def shown(app: Top, words: str) -> None:
    """Wait until the words stand in the transcript."""
    # What it shows is not an event to wait for.
    while words not in "".join(line.plain for line in app.transcript.lines[-20:]):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def measure(folder: Path) -> list[Measured]:
    """Open it, then write to it."""
    log = await SqliteLog.open(folder / "log.db")
    try:
        events = fleet()
        for start in range(0, EVENTS, BATCH):
            await log.append("run", events[start : start + BATCH])
        more = said(EVENTS + 1, EVENTS)
        last = [max(event.seq for event in part if event.stream_id == 0) for part in (events, more)]
        app = Top(ViewServices(log, Controllers(), StoredSessionList(log, {}, folder)), "run")
        began = time.perf_counter()
        async with app.run_test(size=(120, 40)):
            async with beating() as opening:
                await shown(app, f"word {last[0]} ")
            usable = time.perf_counter() - began
            began = time.perf_counter()
            async with beating() as flood:
                for start in range(0, EVENTS, BATCH):
                    await log.append("run", more[start : start + BATCH])
                await shown(app, f"word {last[1]} ")
            written = time.perf_counter() - began
    finally:
        await log.close()
    return [
        Measured("top: 50,000 events shown", usable, "s", at_most=USABLE_SECONDS),
        Measured("top: longest wait while opening", max(opening) * 1000, "ms", at_most=FRAME_MS),
        Measured(
            "top: longest wait in a flood", max(flood) * 1000, "ms", at_most=FRAME_MS,
            detail=f"50,000 more events in {written:.1f} s",
        ),
    ]  # fmt: skip


def main() -> list[Measured]:
    """In a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    print(table(main()))
