"""Where a run begins is known to whoever goes on with it, even if its first writer was killed."""

from __future__ import annotations

from unbraid.agents.claude.sessions.follower import known_files
from unbraid.agents.files import RecordedFile, begin_chunks
from unbraid.agents.opencode.follower import ROWS, ROWS_FROM, rows_since
from unbraid.log import MemoryLog
from unbraid.read.chunk import Chunk
from unbraid.record.runs import open_run
from unbraid.system.file_tail import Place

STANDING = {
    "main.jsonl": RecordedFile(Place(1, 700), 700),
    "subagents_agent-a.jsonl": RecordedFile(Place(1, 300), 300),
}
LINE = b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hi"}]}}\n'


async def test_files_that_were_there_before_stay_known() -> None:
    log = MemoryLog()
    recorder, recorded = await open_run(log, "s")
    assert recorded.is_new
    assert known_files(recorded, STANDING) == STANDING
    await recorder.feed(begin_chunks(STANDING), 0)
    for number in range(3):
        await recorder.feed([Chunk("main.jsonl@1+700", number * len(LINE), LINE)], number)
    later = {**STANDING, "subagents_agent-b.jsonl": RecordedFile(Place(1, 50), 50)}
    again, recorded = await open_run(log, "s")
    known = known_files(recorded, later)
    assert again.offsets["main.jsonl@1+700"] == 3 * len(LINE)
    assert {name: (at.place.offset, at.base) for name, at in known.items()} == {
        "main.jsonl": (700 + 3 * len(LINE), 700),
        "subagents_agent-a.jsonl": (300, 300),
    }
    await again.finish(9)
    # The run after it begins where it ended, and is killed, too.
    second, recorded = await open_run(log, "s")
    begun = [*begin_chunks(known_files(recorded)), Chunk("stdout", 0, LINE)]
    await second.feed(begun, 10)
    third, recorded = await open_run(log, "s")
    known = known_files(recorded)
    assert third.run == second.run == "s.2"
    assert {name: at.place.offset for name, at in known.items()} == {
        "main.jsonl": 700 + 3 * len(LINE),
        "subagents_agent-a.jsonl": 300,
    }


async def test_files_that_no_earlier_run_has_are_known_as_they_stood() -> None:
    log = MemoryLog()
    first, _ = await open_run(log, "s")
    await first.feed([Chunk("main.jsonl@1+0", 0, LINE), Chunk("stdout", 0, LINE)], 1)
    await first.finish(2)
    _, recorded = await open_run(log, "s")
    known = known_files(recorded, STANDING)
    assert {name: (at.place.offset, at.base) for name, at in known.items()} == {
        "main.jsonl": (len(LINE), len(LINE)),
        "subagents_agent-a.jsonl": (300, 300),
    }


async def test_rows_from_before_its_beginning_stay_unrecorded() -> None:
    log = MemoryLog()
    recorder, recorded = await open_run(log, "s")
    assert rows_since(recorded) is None
    await recorder.feed([Chunk(ROWS_FROM, 1234, b""), Chunk("database", 0, LINE)], 1)
    _, recorded = await open_run(log, "s")
    assert rows_since(recorded) == 1234


async def test_rows_of_a_later_run_begin_after_those_of_the_run_before() -> None:
    log = MemoryLog()
    for upto in (70, 90):
        recorder, _ = await open_run(log, "s")
        await recorder.feed([Chunk(ROWS, upto, b""), Chunk("database", 0, LINE)], 1)
        await recorder.finish(2)
    _, recorded = await open_run(log, "s")
    assert (recorded.is_new, rows_since(recorded)) == (True, 91)


async def test_a_note_alone_begins_no_run() -> None:
    log = MemoryLog()
    recorder, _ = await open_run(log, "s")
    assert not await recorder.feed([Chunk(ROWS, 5, b"")], 1)
    assert await log.run("s") is None
