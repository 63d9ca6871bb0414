"""Memory of a viewer: 5,000 that wait, then 500 more of a run that talks, all on one server
process.

    python benchmarks/fanout_idle.py

Linux only: the memory is read from /proc.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fanout_deliveries import ours
from fanout_viewers import Viewers

IDLE, BUSY, EVENTS = 5000, 500, 1000


def resident(pid: int) -> int:
    """A process's memory in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main() -> None:
    """Print the memory of an idle and of a busy viewer."""
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
        print(f"{IDLE:,} idle viewers: {(waiting - before) / IDLE / 1000:.1f} kB each")
        busy.connect(port, path, BUSY)
        start = time.time()
        server.stdin.write(f"{EVENTS}\n")
        server.stdin.flush()
        server.stdout.readline()
        seen = busy.watch(start)
        peak = resident(server.pid)
        rate = seen.frames / seen.seconds
        print(
            f"{BUSY} busy viewers beside them: {(peak - waiting) / BUSY / 1000:.1f} kB each,"
            f" {rate:,.0f} deliveries/s, delay median {seen.delay(0.5):.0f} ms,"
            f" 99th {seen.delay(0.99):.0f} ms"
        )
        idle.close()
        busy.close()


if __name__ == "__main__":
    main()
