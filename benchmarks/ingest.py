"""`unbraid pipe`: events a second into the durable log, and the bytes that the log takes for them.

python -m benchmarks ingest

On a machine that is busy, the events for each second of CPU time are what counts.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import streams
from benchmarks.table import Measured

SIZE = 40_000_000
ROUNDS = 3


class Piped(NamedTuple):
    """What the command has taken, start and end included, and what is in the log."""

    seconds: float
    cpu_seconds: float
    events: int
    log_bytes: int


def pipe(source: Path, home: Path) -> Piped:
    """Runs the command."""
    env = os.environ | {"UNBRAID_HOME": str(home), "HOME": str(home)}
    env.pop("CLAUDE_CONFIG_DIR", None)
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with source.open("rb") as stdin:
        command = [sys.executable, "-m", "unbraid", "pipe"]
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, env=env, check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(path.stat().st_size for path in home.glob("log.db*"))
    connection = sqlite3.connect(home / "log.db")
    (count,) = connection.execute("SELECT sum(last_seq) FROM runs").fetchone()
    connection.close()
    return Piped(seconds, cpu, count, size)


def main(cache: Path) -> list[Measured]:
    """Speed and size."""
    lines = streams.one_block(SIZE, results=streams.SHORT_RESULTS)
    source = streams.write(cache / "one_block_short.ndjson", lines)
    rounds: list[Piped] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as home:
            rounds.append(pipe(source, Path(home)))
    best = min(each.seconds for each in rounds)
    cpu = min(each.cpu_seconds for each in rounds)
    count, size = rounds[0].events, source.stat().st_size
    detail = f"{count:,} events of {size / 1e6:.0f} MB in {best:.1f} s, {cpu:.1f} s of CPU time"
    ratio = rounds[0].log_bytes / size
    return [
        Measured("events a second into the log by pipe", count / best, "/s", at_least=20_000,
                 detail=detail),
        Measured("the same for a second of CPU time", count / cpu, "/s", at_least=20_000),
        Measured("size of the log", ratio, "times its sources", at_most=2.0),
    ]  # fmt: skip
