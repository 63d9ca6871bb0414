"""Appends per second with durability on, against a bare sqlite3 loop doing the same inserts.

    python benchmarks/log_append.py

Both write the same events to a file in WAL mode with `synchronous=FULL`, a transaction per batch.
The bare loop has one table and one index and does nothing else; the log also checks order, folds
summaries and indexes words.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from unbraid.events import FleetEvent, Text, encode
from unbraid.log import SqliteLog

EVENTS = 20_000
RUNS = 16
BATCHES = (1, 20)


def events_of(count: int) -> list[FleetEvent]:
    """Deltas of about 200 bytes; every twentieth begins a new block."""
    words = "the quick brown fox jumps over the lazy dog and runs away "
    return [
        Text(
            seq=seq,
            ts=1_700_000_000_000 + seq,
            stream_id=0,
            depth=0,
            agent="main",
            delta=words,
            message_id=f"msg_{seq // 20:020d}",
            block=0,
        )
        for seq in range(1, count + 1)
    ]


def bare(path: Path, events: Sequence[FleetEvent], batch: int) -> float:
    """Seconds that a plain loop takes."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE events (cursor INTEGER PRIMARY KEY, run INTEGER, seq INTEGER, ts INTEGER,"
        " stream_id INTEGER, type TEXT, data BLOB)"
    )
    connection.execute("CREATE UNIQUE INDEX events_seq ON events (run, seq)")
    insert = "INSERT INTO events (run, seq, ts, stream_id, type, data) VALUES (?, ?, ?, ?, ?, ?)"
    start = time.perf_counter()
    for first in range(0, len(events), batch):
        connection.execute("BEGIN")
        for event in events[first : first + batch]:
            row = (1, event.seq, event.ts, event.stream_id, event.type, encode(event))
            connection.execute(insert, row)
        connection.execute("COMMIT")
    seconds = time.perf_counter() - start
    connection.close()
    return seconds


async def ours(path: Path, events: Sequence[FleetEvent], batch: int, runs: int) -> float:
    """Seconds that the log takes, `runs` runs appending side by side."""
    log = await SqliteLog.open(path)

    async def one(run: str) -> None:
        part = events[: len(events) // runs]
        for first in range(0, len(part), batch):
            await log.append(run, part[first : first + batch])

    start = time.perf_counter()
    await asyncio.gather(*(one(f"r{number}") for number in range(runs)))
    seconds = time.perf_counter() - start
    await log.close()
    return seconds


def main() -> None:
    """Print one line a case."""
    for batch in BATCHES:
        count = EVENTS if batch > 1 else EVENTS // 10
        events = events_of(count)
        best: dict[int, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            for attempt in range(3):
                cases = {0: bare(Path(folder) / f"bare{attempt}.db", events, batch)}
                for runs in (1, RUNS):
                    path = Path(folder) / f"ours{attempt}-{runs}.db"
                    cases[runs] = asyncio.run(ours(path, events, batch, runs))
                best = {case: min(s, best.get(case, s)) for case, s in cases.items()}
        for runs in (1, RUNS):
            print(
                f"append, {batch} events a commit, {runs} runs: {count / best[runs]:,.0f}/s,"
                f" bare sqlite3 {count / best[0]:,.0f}/s, ratio {best[0] / best[runs]:.2f}"
            )


if __name__ == "__main__":
    sys.exit(main())
