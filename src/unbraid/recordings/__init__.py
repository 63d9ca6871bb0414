"""A fleet that really ran, for people to look at before they have one of their own.

`demo.ndjson` is what Claude Code 2.1.325 printed, driven by a scripted model; `demo.times.json`
holds the seconds after the start at which each of its lines came. Paths are neutral.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from importlib import resources

import msgspec

from unbraid.fold.pipeline import Pipeline
from unbraid.log.port import Log
from unbraid.system.clock import now_ms
from unbraid.system.prices.loader import load_prices


def demo() -> Iterator[tuple[float, bytes]]:
    """Yields the recorded lines, each with the second at which it came."""
    here = resources.files(__name__)
    times = msgspec.json.decode(here.joinpath("demo.times.json").read_bytes(), type=list[float])
    lines = here.joinpath("demo.ndjson").read_bytes().split(b"\n")
    for at, line in zip(times, lines, strict=False):
        yield at, line + b"\n"


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
