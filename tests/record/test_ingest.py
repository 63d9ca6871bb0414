"""Bytes come in at any offset, cut anyhow, again and after restarts; the log is the same."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.serve.test_crash import lines_of
from unbraid.errors import LogError
from unbraid.events import FleetEvent
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.port import LogUnusable
from unbraid.read.chunk import Chunk
from unbraid.record.ingest import Ingest, MissingBytes, RunOver, TooManyRuns
from unbraid.record.recorder import Recorder
from unbraid.testing.log_contract import sample_run
from unbraid.testing.sample_runs import all_chunks

WORDS = b"the quick brown fox jumps over the lazy dog and then it sleeps\n"


class Speller:
    """A pipeline for tests: every word of its sources is one event."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.rest: dict[str, bytes] = {}

    def feed(self, data: bytes, source: str, now: int, records: object = ()) -> list[FleetEvent]:
        *words, self.rest[source] = (self.rest.get(source, b"") + data).split(b" ")
        before = len(self.words)
        self.words += [f"{source}:{word.decode()}@{now}" for word in words]
        events = sample_run(self.words)[:-3]
        return events[2 + before if before else 0 :] if words else []

    def finish(self, now: int) -> list[FleetEvent]:
        before = len(self.words)
        self.words += [f"{source}:{rest.decode()}" for source, rest in self.rest.items()]
        return sample_run(self.words)[2 + before if before else 0 :]


async def words_of(log: MemoryLog | SqliteLog) -> list[bytes]:
    return [entry.data for entry in await log.read("r", limit=10**6)]


async def expected() -> list[bytes]:
    log = MemoryLog()
    await Ingest(log, Speller).feed("r", "out", 0, WORDS, now=7, end=True)
    return await words_of(log)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(-8, 4), st.integers(0, 20), st.booleans()), max_size=30))
def test_any_cut_any_repeat_and_any_restart_give_the_same_log(
    steps: list[tuple[int, int, bool]],
) -> None:
    async def scene() -> None:
        with TemporaryDirectory() as folder:
            log = await SqliteLog.open(Path(folder) / "log.db")
            ingest, place = Ingest(log, Speller), 0
            for shift, size, restart in steps:
                if restart:
                    ingest = Ingest(log, Speller)
                offset = max(0, place + shift)
                if offset > place:
                    with pytest.raises(MissingBytes) as caught:
                        await ingest.feed("r", "out", offset, b"x", now=7)
                    assert caught.value.wanted == place
                else:
                    place = await ingest.feed(
                        "r", "out", offset, WORDS[offset : offset + size], now=7
                    )
            place = await ingest.feed("r", "out", place, WORDS[place:], now=7, end=True)
            assert place == len(WORDS)
            assert await words_of(log) == await expected()
            assert await all_chunks(log, "r") == []
            assert ingest.runs == 0
            await log.close()

    asyncio.run(scene())


async def test_acknowledged_means_in_the_log() -> None:
    log = MemoryLog()
    assert await Ingest(log, Speller).feed("r", "out", 0, WORDS[:20], now=1) == 20
    assert await log.offsets("r") == {"out": 20}
    assert await all_chunks(log, "r") == [Chunk("out", 0, WORDS[:20], 1)]


async def test_a_run_is_over_when_all_its_sources_have_ended() -> None:
    log = MemoryLog()
    ingest = Ingest(log, Speller)
    await ingest.feed("r", "out", 0, b"a b ", now=1)
    await ingest.feed("r", "file", 0, b"c d", now=1)
    await ingest.feed("r", "out", 4, b"", now=1, end=True)
    ingest = Ingest(log, Speller)
    with pytest.raises(RunOver):
        await ingest.feed("r", "out", 4, b"more", now=1)
    summary = await log.run("r")
    assert summary is not None
    assert not summary.over
    assert await ingest.feed("r", "file", 0, b"c d", now=1, end=True) == 3
    summary = await log.run("r")
    assert summary is not None
    assert summary.over
    # What was sent before is still skipped; anything more is refused.
    assert await ingest.feed("r", "file", 0, b"c d", now=1, end=True) == 3
    with pytest.raises(RunOver):
        await ingest.feed("r", "file", 3, b"e", now=1)


async def test_when_the_log_fails_nothing_is_skipped_after() -> None:
    class Flaky(MemoryLog):
        broken = False

        async def append(self, *values, **more):  # type: ignore[no-untyped-def]
            if self.broken:
                raise LogUnusable("x", "full", "the disk is full")
            return await super().append(*values, **more)

    log = Flaky()
    ingest = Ingest(log, Speller)
    place = await ingest.feed("r", "out", 0, WORDS[:9], now=7)
    log.broken = True
    with pytest.raises(LogUnusable):
        await ingest.feed("r", "out", place, WORDS[9:30], now=7)
    log.broken = False
    with pytest.raises(MissingBytes) as caught:
        await ingest.feed("r", "out", 30, WORDS[30:], now=7)
    assert caught.value.wanted == 9
    await ingest.feed("r", "out", 9, WORDS[9:], now=7, end=True)
    assert await words_of(log) == await expected()


async def test_a_sender_may_record_its_run_into_the_same_log() -> None:
    """As `run --to` a server of the same person does; the one ends a moment before the other."""
    log, data = MemoryLog(), lines_of(1)
    ingest = Ingest(log)
    assert await ingest.feed("r", "out", 0, data, now=1) == len(data)
    own = await Recorder.open(log, "r")
    await own.finish(5)
    written = await words_of(log)
    assert await ingest.feed("r", "out", len(data), b"", now=9, end=True) == len(data)
    assert await words_of(log) == written
    with pytest.raises(RunOver):
        await ingest.feed("r", "out", len(data), b"more", now=9)


async def test_a_translator_that_gives_other_events_is_noticed() -> None:
    class Other(Speller):
        def feed(
            self, data: bytes, source: str, now: int, records: object = ()
        ) -> list[FleetEvent]:
            return super().feed(data.replace(b"q", b" "), source, now)

    log = MemoryLog()
    await Ingest(log, Speller).feed("r", "out", 0, WORDS, now=1)
    with pytest.raises(LogError):
        await Ingest(log, Other).feed("r", "out", len(WORDS), b"more", now=1)


async def test_only_so_many_runs_are_held_and_the_others_come_back() -> None:
    log = MemoryLog()
    ingest = Ingest(log, Speller, max_runs=2)
    runs = [f"r{number}" for number in range(5)]
    for start in range(0, len(WORDS), 10):
        for run in runs:
            piece = WORDS[start : start + 10]
            last = start + 10 >= len(WORDS)
            await ingest.feed(run, "out", start, piece, now=7, end=last)
            assert ingest.runs <= 2
    for run in runs:
        assert [entry.data for entry in await log.read(run)] == await expected()


async def test_only_so_many_runs_may_send_at_once() -> None:
    ingest = Ingest(MemoryLog(), Speller, max_runs=1)
    outcomes = await asyncio.gather(
        ingest.feed("r1", "out", 0, b"a ", now=1),
        ingest.feed("r2", "out", 0, b"a ", now=1),
        return_exceptions=True,
    )
    assert sorted(map(str, map(type, outcomes))) == sorted(map(str, (int, TooManyRuns)))
