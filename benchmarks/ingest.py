"""`unbraid pipe`: events a second into the durable log, and the bytes that the log takes for them.

python -m benchmarks ingest
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import streams
from benchmarks.table import Measured

SIZE = 40_000_000
ROUNDS = 3


def pipe(source: Path, home: Path) -> tuple[float, int, int]:
    """Seconds that the command takes, start and end included; events; bytes of the log's files."""
    env = os.environ | {"UNBRAID_HOME": str(home), "HOME": str(home)}
    env.pop("CLAUDE_CONFIG_DIR", None)
    started = time.perf_counter()
    with source.open("rb") as stdin:
        command = [sys.executable, "-m", "unbraid", "pipe"]
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, env=env, check=True)
    seconds = time.perf_counter() - started
    size = sum(path.stat().st_size for path in home.glob("log.db*"))
    connection = sqlite3.connect(home / "log.db")
    (count,) = connection.execute("SELECT sum(last_seq) FROM runs").fetchone()
    connection.close()
    return seconds, count, size


def main(cache: Path) -> list[Measured]:
    """Speed and size."""
    lines = streams.one_block(SIZE, results=streams.SHORT_RESULTS)
    source = streams.write(cache / "one_block_short.ndjson", lines)
    best, count, size = float("inf"), 0, 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as home:
            seconds, count, size = pipe(source, Path(home))
            best = min(best, seconds)
    detail = f"{count:,} events of {source.stat().st_size / 1e6:.0f} MB in {best:.1f} s"
    ratio = size / source.stat().st_size
    return [
        Measured("events a second into the log by pipe", count / best, "/s", at_least=20_000,
                 detail=detail),
        Measured("size of the log", ratio, "times its sources", at_most=2.0),
    ]  # fmt: skip
