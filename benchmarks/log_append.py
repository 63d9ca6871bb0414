"""Appends per second with durability on, against bare sqlite3 loops doing the same inserts.

    python -m benchmarks.log_append [FOLDER]

All write the same events to a file in WAL mode with `synchronous=FULL`, a transaction per batch.
There are two bare loops. One inserts the events (a table, an index) and nothing else. The other
also keeps the run's row up to date in the same transaction, which is what the log has to write
besides; it still checks, folds and indexes nothing. One after the other in each round, because what
a disk needs for a sync changes from moment to moment.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Measured, table
from unbraid.events import FleetEvent, Text, encode
from unbraid.log import SqliteLog
from unbraid.log.sqlite.file import migrate
from unbraid.log.summary import RunSummary

EVENTS = 6_000
BATCHES = (1, 20)
ROUNDS = 15


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


def bare(path: Path, events: Sequence[FleetEvent], batch: int, *, with_run: bool) -> float:
    """Seconds that a plain loop takes."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    migrate(connection, str(path))
    summary = encode_summary(RunSummary("r", "claude"))
    connection.execute(
        """INSERT INTO runs (run, status, started, updated, bytes, last_seq, open_from, words,
        summary) VALUES ('r', 'live', 0, 0, 0, 0, 1, 'r', ?)""",
        (summary,),
    )
    insert = "INSERT INTO events (run, seq, ts, stream_id, type, data) VALUES (?, ?, ?, ?, ?, ?)"
    update = "UPDATE runs SET updated = ?, bytes = ?, last_seq = ?, summary = ? WHERE id = 1"
    start, size = time.perf_counter(), 0
    for first in range(0, len(events), batch):
        connection.execute("BEGIN")
        for event in events[first : first + batch]:
            data = encode(event)
            size += len(data)
            row = (1, event.seq, event.ts, event.stream_id, event.type, data)
            connection.execute(insert, row)
        if with_run:
            connection.execute(update, (event.ts, size, event.seq, summary))
        connection.execute("COMMIT")
    seconds = time.perf_counter() - start
    connection.close()
    return seconds


def encode_summary(summary: RunSummary) -> bytes:
    """A run's row as the log has it."""
    import msgspec

    return msgspec.json.encode(summary)


class Case(NamedTuple):
    """How many runs append, and how many appends each has on their way at once."""

    runs: int
    in_flight: int

    def __str__(self) -> str:
        if self == Case(1, 1):
            return "one run, each waits for the one before"
        return f"{self.runs} run{'s' if self.runs > 1 else ''}, {self.in_flight} in flight"


CASES = (Case(1, 1), Case(1, 16), Case(16, 1))


def ours(path: Path, events: Sequence[FleetEvent], batch: int, case: Case) -> float:
    """Seconds that the log takes, every append durable before it counts as done."""

    async def one(log: SqliteLog, run: str) -> None:
        part, flying = events[: len(events) // case.runs], set[asyncio.Future[object]]()
        for first in range(0, len(part), batch):
            if case.in_flight == 1:
                await log.append(run, part[first : first + batch])
                continue
            flying.add(asyncio.ensure_future(log.append(run, part[first : first + batch])))
            while len(flying) >= case.in_flight:
                _, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*flying)

    async def all_of_them() -> float:
        log = await SqliteLog.open(path)
        start = time.perf_counter()
        await asyncio.gather(*(one(log, f"r{number}") for number in range(case.runs)))
        seconds = time.perf_counter() - start
        await log.close()
        return seconds

    return asyncio.run(all_of_them())


def main(folder: Path | None = None) -> list[Measured]:
    """One line a case: against the loop that writes the same, and beside it the barest."""
    rows: list[Measured] = []
    for batch in BATCHES:
        count = EVENTS if batch > 1 else EVENTS // 10
        events = events_of(count)
        works: dict[object, Callable[[Path, Sequence[FleetEvent], int], float]] = {
            "events": partial(bare, with_run=False),
            "same": partial(bare, with_run=True),
        }
        works |= {case: partial(ours, case=case) for case in CASES}
        best = dict.fromkeys(works, float("inf"))
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            for attempt in range(ROUNDS):
                for number, (name, work) in enumerate(works.items()):
                    path = Path(scratch) / f"{attempt}-{number}.db"
                    best[name] = min(best[name], work(path, events, batch))
        for case in CASES:
            detail = (
                f"{count / best[case]:,.0f}/s against {count / best['same']:,.0f}/s; events alone"
                f" {count / best['events']:,.0f}/s, ratio {best['events'] / best[case]:.2f}"
            )
            what = f"appends, {batch} event{'s' if batch > 1 else ''} a commit, {case}"
            ratio, peer = best["same"] / best[case], "bare sqlite3"
            rows.append(Measured(what, ratio, "of the speed", peer, at_least=0.5, detail=detail))
    return rows


if __name__ == "__main__":
    print(table(main(Path(sys.argv[1]) if sys.argv[1:] else None)))
