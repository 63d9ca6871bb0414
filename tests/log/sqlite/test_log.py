"""The SQLite log keeps the contract, on a real file, also when it is opened again and shared."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from unbraid.log import Log, LogUnusable, SqliteLog
from unbraid.testing.log_contract import LogContract, gather, sample_run


class TestSqliteLog(LogContract):
    @pytest.fixture
    async def log(self, tmp_path: Path) -> AsyncIterator[Log]:
        log = await SqliteLog.open(tmp_path / "log.db")
        yield log
        await log.close()


class TestSqliteLogOpenedForEveryAppend(LogContract):
    """As if the process were restarted before every append."""

    @pytest.fixture
    async def log(self, tmp_path: Path) -> AsyncIterator[Log]:
        log = await SqliteLog.open(tmp_path / "log.db")
        append = SqliteLog.append

        async def elsewhere(run, events, **more):  # type: ignore[no-untyped-def]
            other = await SqliteLog.open(tmp_path / "log.db")
            try:
                return await append(other, run, events, **more)
            finally:
                await other.close()

        log.append = elsewhere  # type: ignore[method-assign]
        yield log
        await log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def size_of(path: Path) -> int:
    return path.stat().st_size


async def test_everything_is_there_after_a_restart(path: Path) -> None:
    log = await SqliteLog.open(path)
    events = sample_run(["The quick bro", "wn fox"])
    await log.append("r", events[:3], offsets={"out": 5})
    entries, summary = await log.read("r"), await log.run("r")
    await log.close()
    log = await SqliteLog.open(path)
    assert await log.read("r") == entries
    assert await log.run("r") == summary
    assert await log.offsets("r") == {"out": 5}
    await log.append("r", events[3:])
    assert [found.seq for found in await log.search("brown")] == [3]
    await log.close()


async def test_a_block_open_over_a_restart_is_found_once(path: Path) -> None:
    events = sample_run(["one nee", "dle in", " a hay", "stack"])
    for event in events:
        log = await SqliteLog.open(path)
        await log.append("r", [event])
        await log.close()
    log = await SqliteLog.open(path)
    assert [found.seq for found in await log.search('"one needle in a haystack"')] == [3]
    await log.close()


async def test_a_prompt_repeated_after_a_restart_is_found_once(path: Path) -> None:
    events = sample_run(["Said."])
    events[1] = replace(events[1], prompt="Say  it\nall")
    for event in events:
        log = await SqliteLog.open(path)
        await log.append("r", [event])
        await log.close()
    log = await SqliteLog.open(path)
    assert [found.seq for found in await log.search("say it")] == [2]
    await log.close()


async def test_a_follower_sees_what_another_process_appends(path: Path) -> None:
    reader, writer = await SqliteLog.open(path), await SqliteLog.open(path)
    events = sample_run(["a", "b"])
    following = asyncio.create_task(gather(reader.follow("r")))
    for event in events:
        await writer.append("r", [event])
    assert [entry.seq for entry in await following] == [event.seq for event in events]
    await reader.close()
    await writer.close()


async def test_two_writers_of_one_file_take_turns(path: Path) -> None:
    one, two = await SqliteLog.open(path), await SqliteLog.open(path)
    events = sample_run([str(number) for number in range(40)])
    await asyncio.gather(
        *(log.append("same", events) for log in (one, two)),
        *(log.append(f"r{n}", events) for n, log in enumerate((one, two) * 5)),
    )
    assert len(await one.read_all(limit=10_000)) == 11 * len(events)
    assert [entry.seq for entry in await two.read("same")] == [event.seq for event in events]
    await one.close()
    await two.close()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=9, max_size=9), st.integers(0, 8))
def test_writers_that_take_turns_in_one_run_know_what_the_others_wrote(
    turns: list[int], repeated: int
) -> None:
    events = sample_run(["a nee", "dle", " in a ", "haystack"])

    async def play(folder: Path) -> None:
        logs = [await SqliteLog.open(folder / "shared.db") for _ in range(3)]
        alone = await SqliteLog.open(folder / "alone.db")
        for number, event in enumerate(events):
            # What another one may have written already changes nothing.
            await logs[turns[number]].append("r", events[min(repeated, number) : number + 1])
            await alone.append("r", [event])
        for log in logs:
            assert await log.run("r") == await alone.run("r")
            assert await log.read("r") == await alone.read("r")
            assert await log.search('"a needle in a haystack"') == await alone.search("needle")
        for log in (*logs, alone):
            await log.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))


async def test_a_job_that_reads_sees_one_moment(path: Path) -> None:
    log, loop = await SqliteLog.open(path), asyncio.get_running_loop()

    def counted_twice(connection: sqlite3.Connection) -> tuple[int, int]:
        count = "SELECT count(*) FROM events"
        before = connection.execute(count).fetchone()[0]
        append = asyncio.run_coroutine_threadsafe(log.append("r", sample_run(["x"])), loop)
        append.result(20)
        return before, connection.execute(count).fetchone()[0]

    assert await log.readers.read(counted_twice) == (0, 0)
    assert len(await log.read("r")) == len(sample_run(["x"]))
    await log.close()


async def test_close_keeps_what_was_accepted(path: Path) -> None:
    log = await SqliteLog.open(path)
    events = sample_run(["a"])
    appends = [asyncio.create_task(log.append(f"r{n}", events)) for n in range(50)]
    await asyncio.sleep(0)
    await log.close()
    await asyncio.gather(*appends)
    with pytest.raises(LogUnusable) as caught:
        await log.append("late", events)
    assert caught.value.reason == "closed"
    log = await SqliteLog.open(path)
    assert len(await log.runs(limit=100)) == 50
    await log.close()


async def test_a_caller_that_gives_up_takes_no_one_along(path: Path) -> None:
    log = await SqliteLog.open(path)
    tasks = [asyncio.create_task(log.append(f"r{n}", sample_run(["a"]))) for n in range(10)]
    await asyncio.sleep(0)
    tasks[4].cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert sum(isinstance(outcome, BaseException) for outcome in done) == 1
    await log.append("after", sample_run(["a"]))
    assert len(await log.runs()) == 11
    await log.close()


async def test_vacuum_gives_space_back(path: Path) -> None:
    log = await SqliteLog.open(path)
    await log.append("r", sample_run(["x" * 1_000_000]))
    await log.vacuum()
    size = size_of(path)
    await log.retain(max_bytes=0)
    await log.vacuum()
    assert size_of(path) < size / 10
    await log.close()


async def test_listing_runs_uses_an_index(path: Path) -> None:
    log = await SqliteLog.open(path)
    await log.append("r", sample_run(["a"]))
    await log.close()
    with sqlite3.connect(path) as connection:
        for where in ("", " AND status = 'working'", " AND (started, run) < (5, 'r')"):
            plan = connection.execute(
                f"EXPLAIN QUERY PLAN SELECT summary FROM runs WHERE last_seq > 0{where}"
                " ORDER BY started DESC, run DESC LIMIT 50"
            ).fetchall()
            assert "INDEX runs_st" in plan[0][3], plan
            assert len(plan) == 1, plan
    connection.close()


async def test_a_log_is_opened_by_any_path_and_its_entries_are_events(path: Path) -> None:
    events = sample_run(["hi", "there"])
    log = await SqliteLog.open(str(path))
    await log.append("r", events)
    entries = await log.read("r")
    await log.close()
    assert [entry.event for entry in entries] == list(events)
