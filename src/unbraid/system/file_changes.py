"""What changes below some folders, as the system reports it.

The backend of `watchfiles` looks at its queue every `step` milliseconds. Where words arrive it has
to look often, and where nothing happens that alone would cost more than all the rest: so it looks
often for a while after every change, and seldom otherwise.

This is the one place that uses a private module of another project. The public `watchfiles.awatch`
takes its `step` once: with 2 ms it costs 0.9 % of a core while nothing happens, with 30 ms a change
is reported after 60 ms. Here it is 0.15 % and 4 ms. Starting it again with another step would lose
the changes in between.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from watchfiles._rust_notify import RustNotify

# The backend asks its queue in steps. Where words arrive it has to ask often; where nothing
# happens, asking often would cost more than all the rest together.
NOTIFY_BUSY_SECONDS = 2.0
NOTIFY_BUSY_STEP_MS = 2
NOTIFY_IDLE_STEP_MS = 30
# Changes of one moment are one wake-up.
NOTIFY_GATHER_MS = 8
# A wake-up without a change, so that the waiting task can also look at the clock.
NOTIFY_PULSE_MS = 1000


async def changes(folders: Sequence[Path]) -> AsyncGenerator[list[Path], None]:
    """Yields paths that have changed, and an empty list about once a second. Raises OSError where
    that does not work.
    """
    stop, changed = threading.Event(), 0.0
    with RustNotify([str(folder) for folder in folders], False, False, 300, True, True) as watcher:
        try:
            while True:
                busy = time.monotonic() - changed < NOTIFY_BUSY_SECONDS
                step = NOTIFY_BUSY_STEP_MS if busy else NOTIFY_IDLE_STEP_MS
                found = await asyncio.to_thread(
                    watcher.watch, max(NOTIFY_GATHER_MS, step), step, NOTIFY_PULSE_MS, stop
                )
                if not isinstance(found, set):
                    yield []
                    continue
                changed = time.monotonic()
                yield [Path(name) for _, name in found]
        finally:
            stop.set()
