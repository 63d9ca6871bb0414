"""Where a run begins is known to whoever goes on with it, even if its first writer was killed."""

from __future__ import annotations

from unbraid.agents.claude.session_files import Known
from unbraid.log import MemoryLog
from unbraid.record.runs import ROWS_FROM, open_run, rows_since
from unbraid.system.file_tail import Place
from unbraid.wire.chunk import Chunk

STANDING = {
    "main.jsonl": Known(Place(1, 700), 700),
    "subagents_agent-a.jsonl": Known(Place(1, 300), 300),
}
LINE = b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hi"}]}}\n'


async def test_files_that_were_there_before_stay_known() -> None:
    log = MemoryLog()
    recorder, known = await open_run(log, "s", STANDING)
    assert known == STANDING
    for number in range(3):
        await recorder.feed([Chunk("main.jsonl@1+700", number * len(LINE), LINE)], number)
    later = {**STANDING, "subagents_agent-b.jsonl": Known(Place(1, 50), 50)}
    again, known = await open_run(log, "s", later)
    assert again.offsets["main.jsonl@1+700"] == 3 * len(LINE)
    assert {name: (at.place.offset, at.base) for name, at in known.items()} == {
        "main.jsonl": (700 + 3 * len(LINE), 700),
        "subagents_agent-a.jsonl": (300, 300),
    }
    await again.finish(9)
    # The run after it begins where it ended, and is killed, too.
    second, _ = await open_run(log, "s")
    await second.feed([Chunk("stdout", 0, LINE)], 10)
    third, known = await open_run(log, "s")
    assert third.run == second.run == "s.2"
    assert {name: at.place.offset for name, at in known.items()} == {
        "main.jsonl": 700 + 3 * len(LINE),
        "subagents_agent-a.jsonl": 300,
    }


async def test_rows_from_before_its_beginning_stay_untold() -> None:
    log = MemoryLog()
    assert await rows_since(log, "s") is None
    recorder, _ = await open_run(log, "s")
    recorder.note(ROWS_FROM, 1234)
    await recorder.feed([Chunk("database", 0, LINE)], 1)
    assert await rows_since(log, "s") == 1234
