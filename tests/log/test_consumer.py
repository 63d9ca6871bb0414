"""A consumer handles every event of a log, in order, whatever fails and whenever it restarts."""

from __future__ import annotations

import asyncio
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbraid.errors import LogError
from unbraid.log import MemoryLog
from unbraid.log.consumer import Consumer, StoredCursor
from unbraid.log.entry import Entry
from unbraid.system.tasks import Backoff, cancel_task
from unbraid.testing.log_contract import sample_run

PATIENCE_SECONDS = 30.0


class Receiver:
    """Takes batches, but for attempts that are to fail; `complete` once it has so many events."""

    def __init__(self, failures: int = 0, expected: int = 0) -> None:
        self.taken: list[tuple[str, int]] = []
        self.attempts = 0
        self.complete = asyncio.Event()
        self._failures, self._expected = failures, expected

    async def take(self, batch: list[Entry]) -> None:
        self.attempts += 1
        if self.attempts <= self._failures:
            raise LogError("away")
        self.taken += [(entry.run, entry.seq) for entry in batch]
        if len(self.taken) >= self._expected:
            self.complete.set()


def consumer(log: MemoryLog, home: Path, receiver: Receiver, said: list[str]) -> Consumer:
    return Consumer(
        log,
        receiver.take,
        cursor=StoredCursor(home, "log", "target"),
        backoff=Backoff(0.001, 0.002),
        on_problem=lambda problem: said.append(str(problem)),
        on_recovery=lambda problem: said.append("back"),
    )


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.text(max_size=5), max_size=4), st.integers(0, 3)), max_size=6)
)
def test_every_event_is_handled_once_in_order_over_restarts(
    steps: list[tuple[list[str], int]],
) -> None:
    async def play(home: Path) -> None:
        log = MemoryLog()
        for number, (texts, failures) in enumerate(steps):
            events = sample_run(texts)
            receiver = Receiver(failures, len(events))
            current = consumer(log, home, receiver, [])
            assert await current.begin() == (number == 0)
            current.store()
            task = asyncio.create_task(current.follow())
            await log.append(f"r{number}", events)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await receiver.complete.wait()
            await cancel_task(task)
            # Nothing of what was handled before the restart comes again.
            assert receiver.taken == [(f"r{number}", event.seq) for event in events]

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))


async def test_a_problem_is_reported_once_and_its_end_once(tmp_path: Path) -> None:
    log, said, events = MemoryLog(), list[str](), sample_run(["one"])
    receiver = Receiver(failures=3, expected=len(events))
    current = consumer(log, tmp_path, receiver, said)
    await current.begin()
    task = asyncio.create_task(current.follow())
    await log.append("r", events)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await receiver.complete.wait()
    await cancel_task(task)
    assert said == ["away", "back"]


async def test_what_was_not_handled_is_handled_after_a_restart(tmp_path: Path) -> None:
    log, events = MemoryLog(), sample_run(["one"])
    first = consumer(log, tmp_path, Receiver(failures=1), [])
    await first.begin()
    first.store()
    await log.append("r", events)
    with pytest.raises(LogError):
        await first.catch_up()
    receiver = Receiver()
    second = consumer(log, tmp_path, receiver, [])
    assert not await second.begin()
    await second.catch_up()
    assert receiver.taken == [("r", event.seq) for event in events]


async def test_the_cursor_of_another_log_is_not_used(tmp_path: Path) -> None:
    long, short = MemoryLog(), MemoryLog()
    await long.append("r", sample_run(["one", "two", "three"]))
    before = consumer(long, tmp_path, Receiver(), [])
    await before.begin()
    before.store()
    await short.append("r", sample_run([]))
    receiver = Receiver()
    now = consumer(short, tmp_path, receiver, [])
    assert await now.begin()
    await short.append("s", sample_run(["new"]))
    await now.catch_up()
    assert {run for run, _ in receiver.taken} == {"s"}


async def test_one_run_is_followed_to_its_end_without_a_stored_cursor() -> None:
    log, receiver, events = MemoryLog(), Receiver(failures=1), sample_run(["one"])
    await log.append("other", sample_run(["not this"]))
    await log.append("r", events)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await Consumer(log, receiver.take, run="r", backoff=Backoff(0.001, 0.001)).follow()
    assert receiver.taken == [("r", event.seq) for event in events]


def test_one_process_at_a_time_works_for_a_cursor_which_is_private(tmp_path: Path) -> None:
    one, other = (StoredCursor(tmp_path, "log", "target") for _ in range(2))
    with one.held() as is_held, other.held() as is_other:
        assert (is_held, is_other) == (True, False)
        one.store(7)
        assert other.load() == 7
    with other.held() as is_other:
        assert is_other
    assert stat.S_IMODE((tmp_path / "outbox").stat().st_mode) == 0o700
