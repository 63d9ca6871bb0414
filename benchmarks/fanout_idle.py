"""Memory of a viewer: 5,000 that wait, then 500 more of a run that talks, all on one server
process.

    python -m benchmarks.fanout_idle

Linux only: the memory is read from /proc.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

from benchmarks.fanout_deliveries import ours
from benchmarks.fanout_viewers import Viewers
from benchmarks.table import Measured, table

IDLE, BUSY, EVENTS = 5000, 500, 1000


def resident(pid: int) -> int:
    """A process's memory in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main() -> list[Measured]:
    """The memory of an idle and of a busy viewer."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ours("uvicorn") as (port, path, server):
        assert server.stdin is not None
        assert server.stdout is not None
        warm, idle, busy = Viewers(), Viewers(), Viewers()
        warm.connect(port, "/v1/runs/idle/events", 50)
        warm.close()
        before = resident(server.pid)
        idle.connect(port, "/v1/runs/idle/events", IDLE)
        waiting = resident(server.pid)
        busy.connect(port, path, BUSY)
        start = time.time()
        server.stdin.write(f"{EVENTS}\n")
        server.stdin.flush()
        server.stdout.readline()
        seen = busy.watch(start)
        peak = resident(server.pid)
        rate = seen.frames / seen.seconds
        idle.close()
        busy.close()
    detail = (
        f"{rate:,.0f} deliveries/s, delay median {seen.delay(0.5):.0f} ms,"
        f" 99th {seen.delay(0.99):.0f} ms"
    )
    each, more = (waiting - before) / IDLE / 1000, (peak - waiting) / BUSY / 1000
    return [
        Measured(f"memory of each of {IDLE:,} idle viewers", each, "kB", at_most=40),
        Measured(f"memory of each of {BUSY} busy ones beside them", more, "kB", detail=detail),
    ]


if __name__ == "__main__":
    print(table(main()))
