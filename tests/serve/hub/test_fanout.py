"""Viewers that do not read, signs of life, drafts, and the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.polling import until
from unbraid.errors import LogError
from unbraid.events import Draft
from unbraid.log import Entry, MemoryLog
from unbraid.log.port import LogUnusable
from unbraid.serve.hub import Form, Hub, TooManyViewers, Viewer
from unbraid.serve.hub.viewer import heartbeat_frame
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


async def chunk_of(viewer: Viewer) -> bytes | None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return await viewer.chunk()


async def test_one_that_does_not_read_is_cut_off_with_its_place(log: MemoryLog) -> None:
    events = sample_run(["x" * 100] * 200)
    await log.append("r", events[:2])
    cut = asyncio.Event()
    async with (
        Hub(log, backlog_bytes=5000) as hub,
        hub.watch("r", 1, form=Form.NDJSON) as slow,
        hub.watch("r", form=Form.NDJSON) as quick,
    ):
        slow.on_cut = cut.set
        assert b'"seq":2' in (await chunk_of(slow) or b"")
        # Once more, so that it is live; then it takes its chunk and is not heard of again.
        waiting = asyncio.create_task(chunk_of(slow))
        await until(lambda: slow.idle)
        seen = b""
        for event in events[2:]:
            await log.append("r", [event])
            while b'"seq":%d,' % event.seq not in seen:
                seen += await chunk_of(quick) or b""
        assert await chunk_of(quick) is None
        assert cut.is_set()
        assert slow.cut_reason == "slow"
        # Cut off while its write hung: that chunk counts as not sent.
        assert slow.farewell() == b'{"type":"cut","reason":"slow","last":2}\n'
        taken = await waiting
        assert taken is not None
        assert await chunk_of(slow) is None
        last = slow.position
        assert slow.farewell() == b'{"type":"cut","reason":"slow","last":%d}\n' % last
        assert b'"seq":%d,' % last in taken.splitlines()[-1]
    assert hub.stats.cut == 1


async def test_one_whose_write_hangs_is_cut_off(log: MemoryLog) -> None:
    await log.append("r", sample_run(["a"])[:2])
    cut = asyncio.Event()
    async with (
        Hub(log, heartbeat_seconds=0.001, stall_seconds=0) as hub,
        hub.watch("r") as viewer,
    ):
        viewer.on_cut = cut.set
        await chunk_of(viewer)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await cut.wait()
        assert viewer.farewell().startswith(b"id: 0\nevent: cut\n")


async def test_an_idle_viewer_gets_a_sign_of_life(log: MemoryLog) -> None:
    await log.append("r", sample_run(["a"])[:2])
    async with Hub(log, heartbeat_seconds=0.001) as hub, hub.watch("r", 2) as viewer:
        await chunk_of(viewer)
        assert await chunk_of(viewer) == heartbeat_frame(Form.SSE)


async def test_frames_are_joined_once_for_all(log: MemoryLog) -> None:
    events = sample_run(["a"] * 50)
    await log.append("r", events[:2])
    async with Hub(log) as hub, hub.watch("r", 2) as one, hub.watch("r", 2) as two:
        await chunk_of(one)
        await chunk_of(two)
        waiting = [asyncio.create_task(chunk_of(viewer)) for viewer in (one, two)]
        await until(lambda: one.idle)
        await until(lambda: two.idle)
        await log.append("r", events[2:])
        first, second = await asyncio.gather(*waiting)
        assert first is not None
        assert first is second
        assert first.count(b"\n\n") == len(events) - 2


async def test_drafts_go_to_live_viewers_only_and_have_no_id(log: MemoryLog) -> None:
    await log.append("r", sample_run(["a"])[:2])
    draft = Draft(stream_id=0, depth=0, agent="main", delta="perhaps")
    async with Hub(log) as hub, hub.watch("r", 2) as live, hub.watch("r", 2) as fresh:
        await chunk_of(live)
        waiting = asyncio.create_task(chunk_of(live))
        await until(lambda: live.idle)
        hub.draft("r", draft)
        hub.draft("nobody", draft)
        shown = await waiting
        assert shown is not None
        assert shown.startswith(b"event: draft\ndata: ")
        assert b"perhaps" not in (await chunk_of(fresh) or b"")


async def test_the_end_is_sent_to_all(log: MemoryLog) -> None:
    await log.append("r", sample_run(["a"])[:3])
    async with Hub(log) as hub, hub.watch("r", 3) as viewer, hub.watch_all() as wide:
        await chunk_of(viewer)
        waiting = asyncio.create_task(chunk_of(viewer))
        await until(lambda: viewer.idle)
        hub.dismiss("shutdown")
        assert await waiting is None
        assert viewer.farewell().startswith(
            b'id: 3\nevent: cut\ndata: {"type":"cut","reason":"shut'
        )
        assert await chunk_of(wide) is not None
        assert await chunk_of(wide) is None
        with pytest.raises(LogError):
            async with hub.watch("r"):
                pass
    await hub.emptied()


async def test_one_that_comes_back_after_the_end_is_told_so(log: MemoryLog) -> None:
    events = sample_run(["a"])
    await log.append("r", events[:2])
    async with Hub(log) as hub, hub.watch("r", 2) as first:
        await chunk_of(first)
        waiting = asyncio.create_task(chunk_of(first))
        await until(lambda: first.idle)
        await log.append("r", events[2:])
        assert b"event: done" in (await waiting or b"")
        async with hub.watch("r", len(events), form=Form.NDJSON) as again:
            assert await chunk_of(again) is None
            assert again.cut_reason is None


async def test_a_full_hub_takes_no_more(log: MemoryLog) -> None:
    async with Hub(log, max_viewers=1) as hub, hub.watch("r"):
        with pytest.raises(TooManyViewers):
            async with hub.watch("r"):
                pass


async def test_when_the_log_fails_viewers_are_notified_and_can_come_back() -> None:
    class Shaky(MemoryLog):
        failing = True

        async def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
            if self.failing:
                self.failing = False
                raise LogUnusable("x", "locked", "busy")
            async for batch in super().follow_all(since):
                yield batch

    log, events = Shaky(), sample_run(["a"])
    await log.append("r", events[:2])
    async with Hub(log) as hub:
        async with hub.watch("r", 2) as viewer:
            await chunk_of(viewer)
            assert await chunk_of(viewer) is None
            assert viewer.cut_reason == "error"
        async with hub.watch("r", 2, form=Form.NDJSON) as viewer:
            waiting = asyncio.create_task(chunk_of(viewer))
            await until(lambda: viewer.idle)
            await log.append("r", events[2:])
            assert (await waiting or b"").count(b"\n") == len(events) - 2


async def test_when_the_log_is_closed_so_is_the_hub() -> None:
    class Closed(MemoryLog):
        async def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
            raise LogUnusable("x", "closed", "the log is closed")
            yield []

    async with Hub(Closed()) as hub:
        async with hub.watch("r") as viewer:
            await chunk_of(viewer)
            assert await chunk_of(viewer) is None
        with pytest.raises(LogError):
            async with hub.watch("r"):
                pass
