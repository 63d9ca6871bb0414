"""What viewers that never read cost a run: the same run with none of them, with one, with fifty.

python -m benchmarks.fanout_unread
"""

from __future__ import annotations

import time

from benchmarks.fanout_deliveries import ours
from benchmarks.fanout_viewers import Viewers
from benchmarks.index_live import cpu
from benchmarks.table import Measured, table

READING, EVENTS, ROUNDS = 20, 10_000, 5
UNREAD = (0, 1, 50)


def measure(unread: int) -> tuple[float, float]:
    """How long a run takes to reach its reading viewers, and the server's own work for it."""
    with ours("uvicorn") as (port, path, server):
        assert server.stdin is not None
        assert server.stdout is not None
        silent, reading = Viewers(), Viewers()
        silent.connect(port, path, unread, buffer_bytes=4096)
        reading.connect(port, path, READING)
        start, before = time.time(), cpu(server.pid)
        server.stdin.write(f"{EVENTS}\n")
        server.stdin.flush()
        server.stdout.readline()
        seconds = reading.watch(start).seconds
        worked = cpu(server.pid) - before
        silent.close()
        reading.close()
    return seconds, worked


def main() -> list[Measured]:
    """One line a case; in turn, because a machine is not equally busy all the time."""
    best = dict.fromkeys(UNREAD, (float("inf"), float("inf")))
    for _ in range(ROUNDS):
        for unread in UNREAD:
            seconds, worked = measure(unread)
            best[unread] = (min(best[unread][0], seconds), min(best[unread][1], worked))
    rows: list[Measured] = []
    alone, alone_worked = best[0]
    for unread in UNREAD[1:]:
        seconds, worked = best[unread]
        what = f"a run with {unread} unread viewer{'s' if unread > 1 else ''}"
        detail = f"{seconds:.2f} s for {alone:.2f} s, CPU {worked:.2f} for {alone_worked:.2f}"
        # A tenth is what two equal rounds differ by.
        rows.append(
            Measured(what, seconds / alone, "of the time", "without", at_most=1.1, detail=detail)
        )
    return rows


if __name__ == "__main__":
    print(table(main()))
