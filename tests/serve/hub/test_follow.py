"""Every viewer sees 1…n once, whatever is appended when, and whoever comes, goes, resumes or is
slow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from unbraid.events import FleetEvent
from unbraid.log import Log, MemoryLog, RunSummary, SqliteLog
from unbraid.serve.hub import Form, Hub, Viewer
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run


@dataclass
class Person:
    """Someone at a viewer: reads after some pauses, leaves after some chunks, and comes back."""

    comes: int
    stays: list[int]
    pauses: list[int]
    seen: list[int] = field(default_factory=list)
    cuts: int = 0

    async def look(self, watch: Callable[[int], object], progress: Progress) -> None:
        await progress.reached(self.comes)
        stays, pauses = iter(self.stays), iter(self.pauses)
        last, chunk = 0, b""
        while True:
            async with watch(last) as viewer:  # type: ignore[attr-defined]
                for _ in range(next(stays, 10**9)):
                    chunk = await viewer.chunk()
                    if chunk is None:
                        break
                    for line in chunk.splitlines():
                        last = self.take(line, last)
                    await progress.reached(next(pauses, 0))
                if viewer.cut_reason:
                    self.cuts += 1
                elif chunk is None:
                    return

    def take(self, line: bytes, last: int) -> int:
        event = json.decode(line) if line else {}
        if "seq" not in event:
            return last
        self.seen.append(event["seq"])
        return int(event.get("cursor", event["seq"]))


class Progress:
    """How much has been appended; people time themselves by it, never by a clock."""

    def __init__(self) -> None:
        self.count, self._changed = 0, asyncio.Condition()

    async def step(self, count: int) -> None:
        async with self._changed:
            self.count += count
            self._changed.notify_all()

    async def reached(self, count: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.count >= count)


WORDS = 60
people = st.builds(
    Person,
    comes=st.integers(0, WORDS),
    stays=st.lists(st.integers(1, 5), max_size=4),
    pauses=st.lists(st.integers(0, WORDS), max_size=10),
)


async def play(log: Log, cuts: list[int], audience: list[Person], backlog_bytes: int) -> int:
    events = sample_run([f"word {number} " * 4 for number in range(WORDS)])
    progress = Progress()

    async def speak() -> None:
        start = 0
        for size in [*cuts, len(events)]:
            batch = events[start : start + size]
            start += size
            if batch:
                await log.append("r", batch)
            # All the pauses that anyone may wait for come to an end.
            await progress.step(size)
            await asyncio.sleep(0)

    async with asyncio.timeout(PATIENCE_SECONDS), Hub(log, backlog_bytes=backlog_bytes) as hub:
        await log.append("r", events[:1])

        def watch(last: int) -> object:
            return hub.watch("r", last, form=Form.NDJSON)

        async with asyncio.TaskGroup() as group:
            for person in audience:
                group.create_task(person.look(watch, progress))
            group.create_task(speak())
        assert hub.viewers == 0
    return len(events)


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(
    st.lists(st.integers(0, 9), max_size=30),
    st.lists(people, min_size=1, max_size=6),
    st.sampled_from([1, 500, 2000, 10**7]),
)
def test_every_viewer_sees_all_once_in_memory(
    cuts: list[int], audience: list[Person], backlog_bytes: int
) -> None:
    async def scene() -> None:
        count = await play(MemoryLog(), cuts, audience, backlog_bytes)
        for person in audience:
            assert person.seen == list(range(1, count + 1))

    asyncio.run(scene())


@settings(relaxed, max_examples=30)
@given(
    st.lists(st.integers(0, 9), max_size=30),
    st.lists(people, min_size=1, max_size=6),
    st.sampled_from([1, 2000, 10**7]),
)
def test_every_viewer_sees_all_once_on_disk(
    cuts: list[int], audience: list[Person], backlog_bytes: int
) -> None:
    async def scene() -> None:
        with TemporaryDirectory() as folder:
            log = await SqliteLog.open(Path(folder) / "log.db")
            count = await play(log, cuts, audience, backlog_bytes)
            await log.close()
        for person in audience:
            assert person.seen == list(range(1, count + 1))

    asyncio.run(scene())


async def read_all(viewer: Viewer) -> list[dict[str, object]]:
    lines = []
    while (chunk := await viewer.chunk()) is not None:
        lines += [json.decode(line) for line in chunk.splitlines() if line]
    return lines


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


async def test_all_runs_in_the_order_of_the_log(log: MemoryLog) -> None:
    one, two = sample_run(["a", "b"]), sample_run(["c"])
    await log.append("one", one[:2])
    async with Hub(log) as hub, hub.watch_all(0, form=Form.NDJSON) as viewer:
        seen: list[tuple[object, object]] = []
        await log.append("two", two)
        await log.append("one", one[2:])
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(seen) < len(one) + len(two):
                chunk = await viewer.chunk()
                assert chunk is not None
                events = [json.decode(line) for line in chunk.splitlines()]
                seen += [(event["run"], event["seq"]) for event in events]
    assert seen == [
        *(("one", event.seq) for event in one[:2]),
        *(("two", event.seq) for event in two),
        *(("one", event.seq) for event in one[2:]),
    ]


async def test_filters_by_stream_and_type_but_always_ends_with_done(log: MemoryLog) -> None:
    await log.append("r", sample_run(["a", "b"]))
    async with Hub(log) as hub:
        async with hub.watch("r", form=Form.NDJSON, types=["text"]) as viewer:
            assert [e["type"] for e in await read_all(viewer)] == ["text", "text", "done"]
        async with hub.watch("r", form=Form.NDJSON, stream_id=5) as viewer:
            assert [e["type"] for e in await read_all(viewer)] == ["done"]


async def test_a_cursor_that_is_too_old_is_reported(log: MemoryLog) -> None:
    events = sample_run(["a", "b"])
    await log.append("r", events)
    await log.retain(max_bytes=0)
    await log.append("young", events)
    async with Hub(log) as hub:
        async with hub.watch("r", 2, form=Form.NDJSON) as viewer:
            assert await read_all(viewer) == [{"type": "gap", "from": 3, "to": len(events)}]
        async with hub.watch_all(0, form=Form.NDJSON) as viewer:
            chunk = await viewer.chunk()
            assert chunk == b'{"type":"gap","from":1,"to":%d}\n' % len(events)


async def test_a_place_in_the_future_goes_on_from_the_end(log: MemoryLog) -> None:
    events = sample_run(["a"])
    await log.append("r", events[:3])
    async with Hub(log) as hub, hub.watch("r", 99, form=Form.NDJSON) as viewer:
        await log.append("r", events[3:])
        assert [event["seq"] for event in await read_all(viewer)] == [4, 5, 6]


class Racing(MemoryLog):
    """Everything else is appended, and shown, just after a read has found nothing."""

    hub: Hub | None = None
    rest: tuple[FleetEvent, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.shown = asyncio.Event()

    async def ended(self) -> None:
        rest, self.rest = self.rest, ()
        self.shown.clear()
        await self.append("r", rest)
        await self.shown.wait()

    async def run(self, run: str) -> RunSummary | None:
        summary = await super().run(run)
        if self.hub and self.rest and self.hub.viewers:
            await self.ended()
        return summary


async def test_what_comes_between_finding_nothing_and_waiting_is_not_missed() -> None:
    log, events = Racing(), sample_run(["a", "b", "c"])
    await log.append("r", events[:3])
    hub = Hub(log, on_dispatch=lambda entries: log.shown.set())
    async with asyncio.timeout(PATIENCE_SECONDS), hub:
        log.hub, log.rest = hub, tuple(events[3:])
        async with hub.watch("r", form=Form.NDJSON) as viewer:
            seen = [event["seq"] for event in await read_all(viewer)]
        assert not log.rest
    assert seen == list(range(1, len(events) + 1))
