"""Pruning a log that other processes read and write: no run goes that did not have to."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest

from unbraid.log import SqliteLog
from unbraid.log.disk_space import plan_prune
from unbraid.log.sqlite import appender
from unbraid.testing.sample_runs import sample_run

RUNS = 60


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    log = await SqliteLog.open(tmp_path / "log.db")
    vary = random.Random(1)
    for number in range(RUNS):
        words = [" ".join(f"{vary.random()}" for _ in range(vary.randint(50, 150)))] * 10
        await log.append(f"r{number:03}", sample_run(words, ts=1000 + number * 1000))
    await log.search("anything")  # what was said is in the index
    yield log
    await log.close()


@contextmanager
def busy_reader(path: Path) -> Iterator[None]:
    """A reader that stays: as long as it reads, no checkpoint can empty the WAL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        yield


@asynccontextmanager
async def live_sessions(path: Path) -> AsyncIterator[None]:
    """Runs that are recorded through a connection of their own, all the time."""
    other = await SqliteLog.open(path)

    async def record(number: int) -> None:
        for at, event in enumerate(sample_run(["more"] * 10_000, ts=10**9)):
            await other.append(f"live{number}", [event], offsets={"out": at})

    tasks = [asyncio.create_task(record(number)) for number in range(5)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        await other.close()
    assert all(isinstance(each, asyncio.CancelledError) for each in outcomes)


async def kept_runs(log: SqliteLog) -> dict[str, int]:
    return {each.run: each.bytes for each in await log.runs(limit=1000) if each.bytes}


async def test_beside_readers_and_writers_only_what_is_needed_goes(
    log: SqliteLog, tmp_path: Path
) -> None:
    path = tmp_path / "log.db"
    before = await kept_runs(log)
    most = (await log.size()).used * 0.75
    with busy_reader(path):
        async with live_sessions(path):
            plan = await plan_prune(log, max_file_bytes=most)
            result = await plan.carry_out()
    after = await kept_runs(log)
    gone = sorted(before.keys() - after.keys())
    assert gone == result.runs == sorted(before)[: len(gone)]  # the oldest
    needed = sum(before.values()) * 0.25
    largest = max(before.values())
    assert needed - largest <= sum(before[run] for run in gone) <= needed + 2 * largest


async def test_the_size_does_not_depend_on_the_wal(log: SqliteLog, tmp_path: Path) -> None:
    before = await log.size()
    with busy_reader(tmp_path / "log.db"):
        await log.vacuum()
        beside = await log.size()
    await log.vacuum()
    assert await log.size() == beside
    assert beside.used <= before.used


async def test_the_plan_says_what_will_happen_and_changes_nothing(
    log: SqliteLog, tmp_path: Path
) -> None:
    before, size = await kept_runs(log), await log.size()
    for limit in (0.0, 0.3, 0.6, 0.9, 1.0):
        plan = await plan_prune(log, max_file_bytes=size.used * limit)
        assert (await kept_runs(log), await log.size()) == (before, size)
        if limit == 0.6:
            chosen = plan
    result = await chosen.carry_out()
    assert result.runs == chosen.expected.runs
    assert result.bytes_before == chosen.expected.bytes_before == size.total
    assert result.bytes_after == pytest.approx(chosen.expected.bytes_after, rel=0.05)
    assert set(before) - set(await kept_runs(log)) == set(result.runs)


async def test_a_run_that_is_gone_or_live_when_its_turn_comes_is_passed_over(
    log: SqliteLog,
) -> None:
    plan = await plan_prune(log, max_file_bytes=0)
    assert plan.expected.runs == sorted(await kept_runs(log))
    await log.forget("r000")
    await log.append("r000", sample_run(["again"])[:-1])
    await log.forget("r001")
    result = await plan.carry_out()
    assert result.runs == plan.expected.runs[2:]
    assert list(await kept_runs(log)) == ["r000"]


async def test_other_writers_are_let_in_between(
    log: SqliteLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appender, "CUT_RUNS", 5)
    other = await SqliteLog.open(tmp_path / "log.db")
    pruning = asyncio.create_task(log.retain(max_bytes=0))
    left: list[int] = []
    while not pruning.done():
        await other.append(f"new{len(left)}", sample_run(["a"], ts=10**9)[:1])
        left.append(len(await kept_runs(other)))
    assert len(await pruning) == RUNS
    # Some of its appends were committed while a part of the runs was deleted.
    assert len({count for count in left if count > 5}) > 2
    await other.close()
