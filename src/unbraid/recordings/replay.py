"""Replays a recording into a log as it was recorded: chunk by chunk, with the same pauses."""

from __future__ import annotations

import asyncio
import time

from unbraid.fold.pipeline import Pipeline
from unbraid.log.port import Log
from unbraid.recordings import demo
from unbraid.system.clock import now_ms
from unbraid.system.prices.loader import load_prices


async def replay(log: Log, run: str, *, speed: float = 1.0) -> None:
    """Writes the recorded fleet to the log, `speed` times as fast as it was."""
    pipeline = Pipeline("recording", prices=load_prices().prices)
    began = time.monotonic()
    for at, line in demo():
        await asyncio.sleep(max(0.0, at / speed - (time.monotonic() - began)))
        events = pipeline.feed(line, now=now_ms())
        if events:
            await log.append(run, events)
    await log.append(run, pipeline.finish(now_ms()))
