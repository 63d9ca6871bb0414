"""Appends per second with durability on, against a bare sqlite3 loop doing the same inserts.

    python benchmarks/log_append.py

Both write the same events to a file in WAL mode with `synchronous=FULL`, a transaction per batch.
The bare loop has one table and one index and does nothing else; the log also checks order, folds
summaries and indexes words.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unbraid.events import FleetEvent, Text, encode
from unbraid.log import SqliteLog

EVENTS = 20_000
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


async def ours(path: Path, events: Sequence[FleetEvent], batch: int, case: Case) -> float:
    """Seconds that the log takes, every append durable before it counts as done."""
    log = await SqliteLog.open(path)

    async def one(run: str) -> None:
        part, flying = events[: len(events) // case.runs], set[asyncio.Future[object]]()
        for first in range(0, len(part), batch):
            flying.add(asyncio.ensure_future(log.append(run, part[first : first + batch])))
            while len(flying) >= case.in_flight:
                _, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*flying)

    start = time.perf_counter()
    await asyncio.gather(*(one(f"r{number}") for number in range(case.runs)))
    seconds = time.perf_counter() - start
    await log.close()
    return seconds


class Case(NamedTuple):
    """How many runs append, and how many appends each has on their way at once."""

    runs: int
    in_flight: int


CASES = (Case(16, 1), Case(1, 16), Case(1, 1))


def main() -> None:
    """Print one line a case."""
    for batch in BATCHES:
        count = EVENTS if batch > 1 else EVENTS // 10
        events = events_of(count)
        best: dict[Case | None, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            for attempt in range(3):
                seconds: dict[Case | None, float] = {}
                seconds[None] = bare(Path(folder) / f"bare{attempt}.db", events, batch)
                for number, case in enumerate(CASES):
                    path = Path(folder) / f"ours{attempt}-{number}.db"
                    seconds[case] = asyncio.run(ours(path, events, batch, case))
                best = {case: min(s, best.get(case, s)) for case, s in seconds.items()}
        for case in CASES:
            print(
                f"append, {batch} events a commit, {case.runs} runs, {case.in_flight} in flight:"
                f" {count / best[case]:,.0f}/s, bare sqlite3 {count / best[None]:,.0f}/s,"
                f" ratio {best[None] / best[case]:.2f}"
            )


if __name__ == "__main__":
    main()
