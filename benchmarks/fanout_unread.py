"""What viewers that never read cost a run: the same run with none of them, with one, with fifty.

python -m benchmarks.fanout_unread
"""

from __future__ import annotations

import time

from benchmarks.fanout_deliveries import ours
from benchmarks.fanout_viewers import Viewers
from benchmarks.table import Measured, table

READING, EVENTS, ROUNDS = 20, 20_000, 3


def seconds_with(unread: int) -> float:
    """How long a run takes to reach its reading viewers, at best."""
    best = float("inf")
    for _ in range(ROUNDS):
        with ours("uvicorn") as (port, path, server):
            assert server.stdin is not None
            assert server.stdout is not None
            silent, reading = Viewers(), Viewers()
            silent.connect(port, path, unread, buffer_bytes=4096)
            reading.connect(port, path, READING)
            start = time.time()
            server.stdin.write(f"{EVENTS}\n")
            server.stdin.flush()
            server.stdout.readline()
            best = min(best, reading.watch(start).seconds)
            silent.close()
            reading.close()
    return best


def main() -> list[Measured]:
    """One line a case."""
    alone, rows = seconds_with(0), list[Measured]()
    for unread in (1, 50):
        seconds = seconds_with(unread)
        what = f"a run with {unread} unread viewer{'s' if unread > 1 else ''}"
        detail = f"{seconds:.2f} s against {alone:.2f} s"
        # A tenth is what two equal rounds differ by.
        ratio = seconds / alone
        rows.append(Measured(what, ratio, "of the time", "without", at_most=1.1, detail=detail))
    return rows


if __name__ == "__main__":
    print(table(main()))
