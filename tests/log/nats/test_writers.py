"""Several writers of one run have one history, whatever comes between their reads and writes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.log.nats.conftest import Opener
from tests.log.nats.rivals import contend
from unbraid.log import LogConflict
from unbraid.log.sqlite import file
from unbraid.log.sqlite.file import open_reader
from unbraid.testing.log_contract import sample_run

pytestmark = pytest.mark.xdist_group("nats")


def at_each_read(monkeypatch: pytest.MonkeyPatch, reading: Callable[[str], None]) -> None:
    """Lets a function know of every query, on the thread that reads and before it is answered."""

    def open_told(path: Path) -> sqlite3.Connection:
        connection = open_reader(path)
        connection.set_trace_callback(reading)
        return connection

    monkeypatch.setattr(file, "open_reader", open_told)


async def test_a_record_that_comes_while_a_head_is_read_is_seen_whole_or_not_at_all(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, heads = asyncio.get_running_loop(), list[str]()

    async def overtake() -> None:
        await one.append("r", sample_run(["a"])[:3])
        await two.settle()

    def reading(query: str) -> None:
        if "FROM journal_heads WHERE run" in query:
            heads.append(query)
            if len(heads) == 1:
                asyncio.run_coroutine_threadsafe(overtake(), loop).result(20)

    at_each_read(monkeypatch, reading)
    one, two = await opened("one"), await opened("two")
    with pytest.raises(LogConflict) as caught:
        await two.append("r", sample_run(["b"])[:3])
    assert (caught.value.seq, caught.value.expected) == (3, 4)
    assert (await two.append("r", sample_run(["a"])[:4])).added == 1
    await one.settle()
    assert await one.read("r") == await two.read("r")
    assert len(await one.read("r")) == 4


async def test_a_run_that_another_machine_has_forgotten_begins_anew(opened: Opener) -> None:
    one, two, events = await opened("one"), await opened("two"), sample_run(["a"])
    for offset in (3, 4):
        await one.append("r", events, offsets={"out": offset})
        await two.settle()
        await two.forget("r")
    # By what it knows itself, it would have all of it, and the offset too.
    await one.settle()
    assert (await one.append("r", [], offsets={"out": 4})).last_seq == 0
    assert (await one.append("r", events)).added == len(events)
    await two.settle()
    assert await two.read("r") == await one.read("r") != []
    assert await two.offsets("r") == {"out": 4}


async def test_what_rivals_were_told_of_their_appends_is_true(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = await contend(opened, monkeypatch.setattr, seed=19, rounds=12)
    assert min(len(claims.acknowledged), len(claims.refused), len(claims.with_bytes)) > 5


async def test_a_run_that_another_machine_has_ended_can_be_cut_and_forgotten(
    opened: Opener,
) -> None:
    one, two, events = await opened("one"), await opened("two"), sample_run(["a"])
    for run in ("cut", "forgotten"):
        await one.append(run, events[:-1])
        await two.append(run, events[-1:], offsets={"out": 7})
    await one.settle()
    # What it knows from its own appends is old.
    await one.forget("forgotten")
    assert await one.retain(max_bytes=0) == ["cut"]
    await two.settle()
    assert [run.run for run in await two.runs()] == ["cut"]
    assert await two.offsets("cut") == {"out": 7}


async def test_what_two_machines_take_away_at_once_is_gone(opened: Opener) -> None:
    logs, runs = [await opened("one"), await opened("two")], [f"r{n}" for n in range(20)]
    for run in runs:
        await logs[0].append(run, sample_run(["a"]))
    await logs[1].settle()
    cut = await asyncio.gather(*(log.retain(max_bytes=0) for log in logs))
    assert sorted(run for each in cut for run in each) == sorted(runs)
    await asyncio.gather(*(log.forget(run) for log in logs for run in runs))
    for log in logs:
        await log.settle()
        assert await log.runs() == []
