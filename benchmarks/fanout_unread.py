"""What viewers that never read cost a run: the same run with none of them, with one, with fifty.

python benchmarks/fanout_unread.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fanout_deliveries import ours
from fanout_viewers import Viewers

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


def main() -> None:
    """Print one line a case."""
    alone = seconds_with(0)
    print(f"no unread viewer: {alone:.2f} s")
    for unread in (1, 50):
        seconds = seconds_with(unread)
        print(f"{unread} unread: {seconds:.2f} s, ratio {seconds / alone:.2f}")


if __name__ == "__main__":
    main()
