"""A fleet that really ran, for people to look at before they have one of their own.

`demo.ndjson` is what Claude Code 2.1.325 printed, driven by a scripted model; `demo.times.json`
holds the seconds after the start at which each of its lines came. Paths are neutral.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import msgspec


def demo() -> Iterator[tuple[float, bytes]]:
    """Yields the recorded lines, each with the second at which it came."""
    here = resources.files(__name__)
    times = msgspec.json.decode(here.joinpath("demo.times.json").read_bytes(), type=list[float])
    lines = here.joinpath("demo.ndjson").read_bytes().split(b"\n")
    for at, line in zip(times, lines, strict=False):
        yield at, line + b"\n"
