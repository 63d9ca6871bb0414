"""What every log must do, as tests. A backend of your own runs them all by naming itself:

    from unbraid.testing.log_contract import LogContract

    class TestMyLog(LogContract):
        @pytest.fixture
        async def log(self):
            async with opened_log("my-scheme://...") as log:
                yield log

Needs pytest and pytest-asyncio in its `auto` mode.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from msgspec import Raw
from msgspec.structs import replace

from unbraid.errors import CallerError, LogError
from unbraid.events import (
    FleetToolUse,
    StreamStart,
    encode,
)
from unbraid.log.entry import Entry
from unbraid.log.leases import Leases
from unbraid.log.port import Log, LogConflict, every_run
from unbraid.read.chunk import Chunk
from unbraid.testing.sample_runs import all_chunks, sample_run

__all__ = ["LogContract", "gather", "sample_run"]

PATIENCE_SECONDS = 30.0


async def gather(follow: AsyncIterator[list[Entry]], count: int | None = None) -> list[Entry]:
    """Returns the entries that `follow` yields until it ends, or until there are `count` of
    them.
    """
    entries: list[Entry] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for batch in follow:
            entries += batch
            if count is not None and len(entries) >= count:
                break
    return entries


class LogContract:
    """The tests. A subclass gives the fixture `log`: an empty log."""

    async def test_reads_back_the_bytes_that_were_appended(self, log: Log) -> None:
        events = sample_run(["Hello", " world"])
        assert (await log.append("r", events)).last_seq == len(events)
        entries = await log.read("r")
        assert [entry.data for entry in entries] == [encode(event) for event in events]
        assert [entry.seq for entry in entries] == list(range(1, len(events) + 1))
        assert [entry.type for entry in entries] == [event.type for event in events]
        assert {entry.run for entry in entries} == {"r"}

    async def test_no_line_end_of_an_agent_gets_into_a_line(self, log: Log) -> None:
        raw = Raw(b'{"a":\r\n\r1}')
        event = FleetToolUse(
            seq=1, ts=1, stream_id=0, depth=0, agent="a", tool_use_id="t", tool="x", input_json=raw
        )
        await log.append("r", [event])
        data = (await log.read("r"))[0].data
        assert b"\n" not in data
        assert b"\r" not in data
        assert b'"input":{"a":   1}' in data

    async def test_appending_again_changes_nothing(self, log: Log) -> None:
        events = sample_run(["a", "b", "c"])
        await log.append("r", events[:4], offsets={"out": 40})
        before = await log.read("r")
        again = await log.append("r", events[:4], offsets={"out": 40})
        assert (again.added, again.last_seq) == (0, 4)
        assert await log.read("r") == before
        overlapping = await log.append("r", events[2:], offsets={"out": 90})
        assert (overlapping.added, overlapping.last_seq) == (len(events) - 4, len(events))
        assert [entry.seq for entry in await log.read("r")] == list(range(1, len(events) + 1))
        summary = await log.run("r")
        assert summary is not None
        assert summary.bytes == sum(len(encode(event)) for event in events)

    async def test_refuses_a_gap_a_conflict_and_anything_after_done(self, log: Log) -> None:
        events = sample_run(["a", "b"])
        await log.append("r", events[:3])
        for wrong, seq in ((events[4:], 5), (sample_run(["x", "b"])[2:4], 3)):
            with pytest.raises(LogConflict) as caught:
                await log.append("r", wrong, offsets={"out": 99})
            assert (caught.value.run, caught.value.seq, caught.value.expected) == ("r", seq, 4)
        assert await log.offsets("r") == {}
        assert len(await log.read("r")) == 3
        await log.append("r", events[3:])
        late = StreamStart(
            seq=len(events) + 1, ts=1, stream_id=1, depth=1, agent="a", parent_stream_id=0
        )
        with pytest.raises(LogConflict):
            await log.append("r", [late])

    async def test_a_refused_append_leaves_its_neighbours_alone(self, log: Log) -> None:
        events = sample_run(["a"])
        outcomes = await asyncio.gather(
            log.append("r1", events),
            log.append("r2", events[3:]),
            log.append("r3", events),
            return_exceptions=True,
        )
        assert isinstance(outcomes[1], LogConflict)
        assert len(await log.read("r1")) == len(await log.read("r3")) == len(events)
        assert await log.run("r2") is None

    async def test_reads_in_pages_and_by_stream_and_type(self, log: Log) -> None:
        events = sample_run([str(number) for number in range(50)])
        other = StreamStart(seq=3, ts=1, stream_id=1, depth=1, agent="b", parent_stream_id=0)
        await log.append("r", [*events[:2], other])
        assert [entry.seq for entry in await log.read("r", stream_id=1)] == [3]
        assert [e.seq for e in await log.read("r", types=["stream_start"])] == [2, 3]
        assert [entry.seq for entry in await log.read("r", since=1, limit=1)] == [2]
        assert await log.read("nobody") == []

    async def test_offsets_only_go_forward(self, log: Log) -> None:
        await log.append("r", [], offsets={"out": 10, "file:a/b.txt": 5})
        await log.append("r", [], offsets={"out": 7})
        assert await log.offsets("r") == {"out": 10, "file:a/b.txt": 5}
        assert await log.offsets("nobody") == {}

    async def test_keeps_raw_bytes_until_the_run_is_over(self, log: Log) -> None:
        events = sample_run(["a"])
        parts = [
            Chunk("out", 0, b"one", arrived_ms=11),
            Chunk("file", 0, b"\x00\xff", arrived_ms=12),
        ]
        later = Chunk("out", 3, b"two", arrived_ms=13)
        await log.append("r", events[:1], offsets={"out": 3}, chunks=parts)
        await log.append("r", events[:1], offsets={"out": 3}, chunks=parts)
        await log.append("r", events[1:2], offsets={"out": 6}, chunks=[later])
        assert await all_chunks(log, "r") == [*parts, later]
        await log.append("r", events[2:], chunks=[Chunk("out", 6, b"end", arrived_ms=14)])
        assert await all_chunks(log, "r") == []
        assert await log.offsets("r") == {"out": 6}

    async def test_gives_long_raw_bytes_back_as_they_were(self, log: Log) -> None:
        parts = [
            Chunk("out", 0, b'{"same":"words"}\n' * 5000, arrived_ms=11),
            Chunk("noise", 0, random.Random(1).randbytes(5000), arrived_ms=12),
            Chunk("end", 7, b"", arrived_ms=13),
        ]
        await log.append("r", sample_run(["a"])[:1], chunks=parts)
        assert await all_chunks(log, "r") == parts

    async def test_summary_of_a_run(self, log: Log) -> None:
        events = sample_run(["a"])
        await log.append("r", events[:2])
        summary = await log.run("r")
        assert summary is not None
        assert (summary.status, summary.title, summary.agents) == ("working", "Say it all", 1)
        assert (summary.source, summary.cwd, summary.session_id) == ("agent", "/w", "s")
        await log.append("r", events[2:])
        summary = await log.run("r")
        assert summary is not None
        assert (summary.status, summary.started, summary.updated) == ("done", 1000, 1004)
        assert (summary.usage.input_tokens, summary.usage.cost_usd) == (7, 0.5)
        assert await log.run("nobody") is None

    async def test_lists_runs_last_started_first_in_pages(self, log: Log) -> None:
        for number in range(7):
            await log.append(f"r{number}", sample_run(["x"], ts=1000 * number, ok=number != 3)[:-1])
        await log.append("r3", sample_run(["x"], ts=3000, ok=False))
        await log.append("empty", [], offsets={"out": 1})
        assert [s.run for s in await log.runs(limit=3)] == ["r6", "r5", "r4"]
        page = (await log.runs(limit=3))[-1].page
        assert [s.run for s in await log.runs(before=page)] == ["r3", "r2", "r1", "r0"]
        assert [s.run for s in await log.runs(status="failed")] == ["r3"]
        assert [s.run for s in await log.runs(matching="SAY IT", limit=2)] == ["r6", "r5"]
        assert await log.runs(matching="nowhere") == []
        with pytest.raises(CallerError):
            await log.runs(before="no page")

    async def test_names_runs_without_reading_them(self, log: Log) -> None:
        assert await log.run_names() == []
        for name in ("ab-2", "ab-1", "ab", "b", "AB", "a_b"):
            await log.append(name, sample_run(["x"]))
        await log.append("ab-empty", [], offsets={"out": 1})
        assert await log.run_names("ab") == ["ab", "ab-1", "ab-2"]
        assert await log.run_names("ab-1") == ["ab-1"]
        assert await log.run_names() == ["AB", "a_b", "ab", "ab-1", "ab-2", "b"]
        for nobody in ("c", "a%", "a?", "*", "é", "\udcff", "'"):
            assert await log.run_names(nobody) == []

    async def test_finds_the_runs_of_a_session(self, log: Log) -> None:
        await log.append("other", sample_run(["x"], ts=1))
        for number, name in enumerate(("first", "second"), 2):
            events = sample_run(["x"], ts=1000 * number)
            events[0] = replace(events[0], session_id="mine")
            await log.append(name, events[: 2 * number])
        await log.append("mine", sample_run(["x"], ts=5000))
        assert [each.run for each in await log.runs_of("mine")] == ["mine", "second", "first"]
        assert [each.over for each in await log.runs_of("mine")] == [True, True, False]
        assert [each.run for each in await log.runs_of("first")] == ["first"]
        assert await log.runs_of("nobody") == []

    async def test_lists_every_run_page_by_page(self, log: Log) -> None:
        for number in range(7):
            await log.append(f"r{number}", sample_run(["x"], ts=1000 * (number // 2) - 999))
        for size in (1, 3, 7, 100):
            found = [each.run async for each in every_run(log, page_size=size)]
            assert found == ["r6", "r5", "r4", "r3", "r2", "r1", "r0"]
        for number in range(3):
            await log.append(f"live{number}", sample_run(["x"], ts=9000 + number)[:2])
        live = [each.run async for each in every_run(log, status="live", page_size=2)]
        assert live == ["live2", "live1", "live0"]

    async def test_gives_out_leases_on_its_runs(self, log: Log) -> None:
        await check_leases(log.leases(), log.leases())

    async def test_cursor_orders_all_runs(self, log: Log) -> None:
        one, two = sample_run(["a"]), sample_run(["b"])
        await log.append("r1", one[:2])
        await log.append("r2", two[:3])
        await log.append("r1", one[2:])
        entries = await log.read_all()
        assert [(e.run, e.seq) for e in entries] == [
            *(("r1", seq) for seq in (1, 2)),
            *(("r2", seq) for seq in (1, 2, 3)),
            *(("r1", event.seq) for event in one[2:]),
        ]
        cursors = [entry.cursor for entry in entries]
        assert cursors == sorted(set(cursors))
        assert await log.bounds() == (cursors[0], cursors[-1])
        assert await log.read_all(since=cursors[1], limit=2) == entries[2:4]

    async def test_follow_replays_then_goes_live_then_ends(self, log: Log) -> None:
        events = sample_run(["a", "b", "c", "d"])
        await log.append("r", events[:3])
        following = asyncio.create_task(gather(log.follow("r", since=1)))
        await asyncio.sleep(0)
        for event in events[3:]:
            await log.append("r", [event])
        assert [entry.seq for entry in await following] == list(range(2, len(events) + 1))
        assert await gather(log.follow("r", since=len(events))) == []

    async def test_follow_waits_for_a_run_to_come(self, log: Log) -> None:
        following = asyncio.create_task(gather(log.follow("later")))
        await asyncio.sleep(0)
        await log.append("other", sample_run(["a"]))
        await log.append("later", sample_run(["a"]))
        assert len(await following) == len(sample_run(["a"]))

    async def test_follow_all_from_a_cursor_and_from_now(self, log: Log) -> None:
        events = sample_run(["a"])
        await log.append("r1", events)
        first = (await log.bounds())[0]
        replay = asyncio.create_task(gather(log.follow_all(first), 2 * len(events) - 1))
        follow = log.follow_all()
        live = asyncio.create_task(gather(follow, len(events)))
        while not live.done():
            # The live one begins whenever it begins: give it runs until it has had enough.
            await log.append(f"r{(await log.bounds())[1]}", events)
            await asyncio.sleep(0)
        seen = [entry.seq for entry in await live]
        assert seen[: len(events)] == list(range(1, len(events) + 1))
        assert [entry.seq for entry in await replay][: len(events) - 1] == list(
            range(2, len(events) + 1)
        )

    async def test_retention_by_age_spares_the_young_and_the_live(self, log: Log) -> None:
        events = sample_run(["a"], ts=1)
        await log.append("old", events)
        await log.append("old-live", events[:3])
        await log.append("young", sample_run(["a"], ts=1000))
        assert await log.retain(newer_than_ms=500) == ["old"]
        assert await log.read("old") == []
        summary = await log.run("old")
        assert summary is not None
        assert (summary.first_seq, summary.bytes) == (len(events) + 1, 0)
        assert len(await log.read("old-live")) == 3
        assert len(await log.read("young")) == len(events)
        assert await log.retain(newer_than_ms=500) == []
        # What was cut counts as there: a source that sends it again is not refused.
        assert (await log.append("old", events)).added == 0

    async def test_retention_by_size_takes_the_oldest_first(self, log: Log) -> None:
        for number in (2, 0, 1):
            await log.append(f"r{number}", sample_run(["a" * 1000], ts=number * 1000))
        await log.append("live", sample_run(["a" * 5000], ts=1)[:-1])
        size = (await log.runs())[0].bytes + 5200
        assert await log.retain(max_bytes=size + 1000) == ["r0", "r1"]
        assert await log.retain(max_bytes=0) == ["r2"]
        assert len(await log.read("live")) > 0

    async def test_cuts_the_named_runs_that_are_over_and_no_others(self, log: Log) -> None:
        for number in range(4):
            await log.append(f"r{number}", sample_run(["a" * 1000], ts=number * 1000))
        await log.append("live", sample_run(["a"], ts=1)[:-1])
        before = await log.size()
        assert before.total >= before.used >= before.content > 4000
        assert await log.cut(["r3", "nobody", "live", "r1"]) == ["r3", "r1"]
        assert await log.cut(["r3"]) == []
        assert [len(await log.read(f"r{number}")) > 0 for number in range(4)] == [
            True,
            False,
            True,
            False,
        ]
        assert len(await log.read("live")) > 0
        assert (await log.size()).used <= before.used

    async def test_cursors_are_never_given_twice(self, log: Log) -> None:
        await log.append("r1", sample_run(["a"]))
        last = (await log.bounds())[1]
        await log.retain(max_bytes=0)
        assert await log.bounds() == (last + 1, last)
        await log.append("r2", sample_run(["a"]))
        assert (await log.read_all())[0].cursor > last

    async def test_forgets_only_runs_that_are_over(self, log: Log) -> None:
        events = sample_run(["a"])
        await log.append("r", events[:2], offsets={"out": 3})
        with pytest.raises(CallerError):
            await log.forget("r")
        await log.append("r", events[2:])
        await log.forget("r")
        assert await log.run("r") is None
        assert await log.offsets("r") == {}
        await log.forget("nobody")
        await log.append("r", events)
        assert len(await log.read("r")) == len(events)

    async def test_vacuum_and_check_leave_everything_there(self, log: Log) -> None:
        await log.append("r", sample_run(["a"]))
        before = await log.read_all()
        await log.vacuum()
        await log.check()
        assert log.replaced() is None
        assert await log.read_all() == before

    async def test_answers_what_is_asked_of_shared_logs(self, log: Log) -> None:
        await log.append("r", sample_run(["a"]))
        await log.settle()
        state = await log.replication()
        assert (state is not None) == log.shared
        assert state is None or (state.reachable, state.behind, state.lost) == (True, 0, False)
        assert bool(await log.checkup()) == bool(log.counters()) == log.shared
        assert (log.machine_requests() is not None) == log.shared
        assert await log.dead_sessions() == []

    @pytest.mark.parametrize("run", ["", "../x", "a/b", ".", "a\n", "a b", "é", "x" * 129, "-x"])
    async def test_refuses_odd_ids(self, log: Log, run: str) -> None:
        with pytest.raises(CallerError):
            await log.append(run, sample_run(["a"]))
        with pytest.raises(CallerError):
            await log.append("r", [], offsets={"bad\nname": 1})

    async def test_finds_words_that_deltas_cut(self, log: Log) -> None:
        events = sample_run(["The quick bro", "wn fox ju", "mps"])
        for event in events:
            await log.append("r", [event])
        await log.append("other", sample_run(["a brown bear"]))
        found = await log.search("brown fox")
        assert [(f.run, f.seq, f.kind, f.stream_id) for f in found] == [("r", 3, "text", 0)]
        assert "brown fox" in found[0].snippet
        assert {f.run for f in await log.search("brown")} == {"r", "other"}
        assert [f.run for f in await log.search("brown", run="other")] == ["other"]
        assert len(await log.search("brown", limit=1)) == 1
        assert [f.kind for f in await log.search('"say  it all"', run="other")] in ([], ["prompt"])
        for odd in ('"', "AND", "fox NEAR(", "a*b", "-", "", "text:fox", "'; DROP TABLE runs"):
            await log.search(odd)
        assert await log.search("brown", run="nobody") == []
        # Also inside of words.
        assert [f.run for f in await log.search("ox jum")] == ["r"]
        assert [f.run for f in await log.search("rown", run="other")] == ["other"]

    async def test_finds_the_first_prompt_once_though_it_is_told_twice(self, log: Log) -> None:
        for run, again, seqs in (
            ("once", None, [1]),
            ("twice", "Say  it\nall", [2]),
            ("other", "Say it in other words", [1, 2]),
        ):
            events = sample_run(["Said."])
            events[1] = replace(events[1], prompt=again)
            for event in events:
                await log.append(run, [event])
            found = await log.search("say it", run=run)
            assert sorted((f.seq, f.kind) for f in found) == [(seq, "prompt") for seq in seqs]

    async def test_what_retention_took_is_not_found(self, log: Log) -> None:
        await log.append("r", sample_run(["needle"]))
        assert len(await log.search("needle")) == 1
        await log.retain(max_bytes=0)
        assert await log.search("needle") == []


async def check_leases(one: Leases, two: Leases) -> None:
    """Checks what every engine's leases do, between two processes that share a log."""
    assert not one.is_held("r")
    assert await one.acquire("r")
    assert await one.acquire("r")
    assert one.is_held("r")
    assert two.is_held("r")
    assert not await two.acquire("r")
    await two.release("r")  # not its own to release
    assert not await two.acquire("r")
    await one.release("r")
    assert await two.acquire("r")
    assert await one.abandoned() == []
    await two.close(ended=False)
    assert not one.is_held("r")
    assert await one.abandoned() == ["r"]
    assert await one.acquire("r")
    assert await one.abandoned() == await two.abandoned() == []
    await one.close(ended=True)
    assert await two.abandoned() == []
    starting = one.acquire_unnamed()
    assert starting != two.acquire_unnamed()
    assert one.another_is_starting()
    assert two.another_is_starting()
    await two.close(ended=True)
    assert not one.another_is_starting()
    await one.release(starting)
    assert not two.another_is_starting()
    assert not two.is_part_of_other_run("r")
    one.mark_part_of_other_run("r")
    assert two.is_part_of_other_run("r")
    assert not two.is_part_of_other_run("../r")
    assert await two.abandoned() == []
    assert not one.is_held("../r")
    with pytest.raises(LogError):
        await one.acquire("../r")
