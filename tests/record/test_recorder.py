"""One run's chunks become committed events; what fails does not part the run from its log."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.record.test_ingest import WORDS, Speller, words_of
from unbraid.agents.claude.records import decode_printed
from unbraid.agents.claude.transcript import session_line
from unbraid.errors import LogError
from unbraid.log import MemoryLog
from unbraid.log.port import Appended, LogUnusable
from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.record.recorder import COMMIT_BYTES, Recorder
from unbraid.testing.sample_runs import all_chunks


class Failing(MemoryLog):
    """A log whose next append raises, before or after it has written."""

    error: BaseException | None = None
    writes = False

    async def append(self, *values: Any, **more: Any) -> Appended:
        error, self.error = self.error, None
        if error is None or self.writes:
            appended = await super().append(*values, **more)
        if error is not None:
            raise error
        return appended


async def opened(log: MemoryLog) -> Recorder:
    return await Recorder.open(log, "r", pipeline=Speller)


async def expected() -> list[bytes]:
    log = MemoryLog()
    recorder = await opened(log)
    await recorder.feed([Chunk("out", 0, WORDS)], 7)
    await recorder.finish(7)
    return await words_of(log)


@pytest.mark.parametrize("writes", [False, True], ids=["lost", "written"])
@pytest.mark.parametrize("error", [LogUnusable("x", "full", "no room"), asyncio.CancelledError()])
async def test_after_a_failed_commit_it_refuses_and_a_new_one_goes_on(
    error: BaseException, writes: bool
) -> None:
    log = Failing()
    recorder = await opened(log)
    await recorder.feed([Chunk("out", 0, WORDS[:9])], 7)
    log.error, log.writes = error, writes
    with pytest.raises(type(error)):
        await recorder.feed([Chunk("out", 9, WORDS[9:30])], 7)
    for again in (
        recorder.feed([Chunk("out", 9, WORDS[9:])], 7),
        recorder.end("out", 7),
        recorder.finish(7),
    ):
        with pytest.raises(LogError):
            await again
    recorder = await opened(log)
    assert recorder.offsets == {"out": 30 if writes else 9}
    await recorder.feed([Chunk("out", 0, WORDS)], 7)
    await recorder.finish(7)
    assert await words_of(log) == await expected()


async def test_a_reader_that_fails_half_way_leaves_nothing_uncommitted_behind() -> None:
    log = MemoryLog()
    recorder = await opened(log)

    def chunks() -> Any:
        yield Chunk("out", 0, WORDS[:9])
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await recorder.feed(chunks(), 7)
    with pytest.raises(LogError):
        await recorder.feed([Chunk("out", 9, WORDS[9:])], 7)
    recorder = await opened(log)
    assert recorder.offsets == {}


async def test_a_chunk_without_bytes_notes_an_offset() -> None:
    log = MemoryLog()
    recorder = await opened(log)
    assert not await recorder.feed([Chunk("rows", 1234, b"")], 7)
    assert await log.offsets("r") == {}
    assert await recorder.feed([Chunk("out", 0, b"a b "), Chunk("rows", 1300, b"")], 7)
    assert await log.offsets("r") == recorder.offsets == {"out": 4, "rows": 1300}
    assert await all_chunks(log, "r") == [Chunk("out", 0, b"a b ", 7)]


async def test_what_is_known_is_skipped() -> None:
    log = MemoryLog()
    recorder = await opened(log)
    assert await recorder.feed([Chunk("out", 0, b"a b ")], 7)
    assert not await recorder.feed([Chunk("out", 0, b"a b ")], 7)
    assert await recorder.feed([Chunk("out", 2, b"b c ")], 7)
    parts = [Chunk("out", 0, b"a b ", 7), Chunk("out", 4, b"c ", 7)]
    assert await all_chunks(log, "r") == parts


async def test_a_hole_in_a_source_is_reported_after_what_came_before_it() -> None:
    log = MemoryLog()
    recorder = await opened(log)
    with pytest.raises(LogError, match="bytes 4 to 9 of out are missing"):
        await recorder.feed([Chunk("out", 0, WORDS[:4]), Chunk("out", 9, WORDS[9:])], 7)
    assert await log.offsets("r") == recorder.offsets == {"out": 4}
    await recorder.feed([Chunk("out", 4, WORDS[4:])], 7)
    await recorder.finish(7)
    assert await words_of(log) == await expected()


async def test_bytes_that_gave_no_event_yet_are_not_lost() -> None:
    log = MemoryLog()
    await (await opened(log)).feed([Chunk("out", 0, b"hal")], 7)
    recorder = await opened(log)
    assert recorder.offsets == {"out": 3}
    await recorder.feed([Chunk("out", 3, b"f of ")], 7)
    (_, _, text, *_) = await words_of(log)
    assert b"half" in text


async def test_the_run_is_over_when_all_its_sources_have_ended() -> None:
    log = MemoryLog()
    recorder = await opened(log)
    await recorder.feed([Chunk("out", 0, b"a "), Chunk("file", 0, b"b ")], 7)
    await recorder.end("out", 7)
    assert not recorder.over
    recorder = await opened(log)
    assert recorder.ended == {"out"}
    await recorder.end("file", 7)
    assert recorder.over
    assert (await log.read("r"))[-1].type == "done"
    await recorder.finish(8)
    assert (await opened(log)).over


async def test_a_run_in_which_nothing_is_said_is_none() -> None:
    log = MemoryLog()
    for prompt, runs in ((None, 0), ("Go on.", 1)):
        recorder = await Recorder.open(log, "r", awaits_words=True)
        asked = session_line("s", cwd="/app", version="1", started_ms=7, prompt=prompt)
        await recorder.feed([Chunk("files", 5, b""), Chunk("about", 0, asked)], 7)
        assert recorder.has_begun == bool(runs)
        await recorder.finish(7)
        assert recorder.over
        assert len(await log.runs()) == runs
    assert await log.offsets("r") == {"files": 5, "about": len(asked)}


async def test_words_bring_all_that_came_before_them() -> None:
    about = session_line("s", cwd="/app", version="1", started_ms=7)
    words = b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Hi"}]}}\n'
    logs = []
    for awaits_words in (False, True):
        log = MemoryLog()
        recorder = await Recorder.open(log, "r", awaits_words=awaits_words)
        await recorder.feed([Chunk("about", 0, about)], 7)
        assert recorder.has_begun != awaits_words
        await recorder.feed([Chunk("out", 0, words)], 8)
        assert recorder.has_begun
        logs.append((await words_of(log), await all_chunks(log, "r"), await log.offsets("r")))
        assert (await Recorder.open(log, "r", awaits_words=True)).has_begun
    assert logs[0] == logs[1]


async def test_what_is_held_without_words_has_a_bound() -> None:
    about = session_line("s", cwd="/app", version="1", started_ms=7)
    recorder = await Recorder.open(MemoryLog(), "r", awaits_words=True)
    await recorder.feed([Chunk("about", 0, about * (COMMIT_BYTES // len(about) + 1))], 7)
    assert recorder.has_begun


@pytest.mark.parametrize("count", [1, 3, 40, 400])
async def test_a_chunk_of_any_size_that_brings_its_records_is_recorded_once(count: int) -> None:
    """Also one that is fed in slices, which become larger on the way."""
    form = '{"type":"assistant","message":{"id":"m%d","content":[{"type":"text","text":"%s"}]}}\n'
    source = ChunkedSource("stdout")
    chunks = [source.chunk((form % (each, "word " * 20)).encode()) for each in range(count)]
    log = MemoryLog()
    recorder = await Recorder.open(log, "r")
    await recorder.feed([decode_printed(chunk)[1] for chunk in chunks], 7)
    said = [entry for entry in await log.read("r", 0, 10_000) if entry.type == "text"]
    assert len(said) == count
    # Its bytes give the same events again.
    again = await Recorder.open(log, "r")
    assert again.last_seq == recorder.last_seq
