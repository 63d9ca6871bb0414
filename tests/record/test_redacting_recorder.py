"""What sessions and processes say is redacted and recorded in one way."""

from __future__ import annotations

import pytest

from tests.redact.secret import KEY, SEEN
from unbraid.events.codec import decode_event
from unbraid.log import MemoryLog
from unbraid.read.chunk import Chunk
from unbraid.read.notes import NOTES, RunNote
from unbraid.record.recorder import Recorder
from unbraid.testing.sample_runs import all_chunks


async def recorded(log: MemoryLog, source: str) -> bytes:
    chunks = await all_chunks(log, "r")
    return b"".join(chunk.data for chunk in chunks if chunk.source == source)


@pytest.mark.parametrize("redact", [False, True])
async def test_a_line_is_redacted_whole_and_the_last_one_at_the_end(redact: bool) -> None:
    log, commits = MemoryLog(), list[int]()
    recorder = await Recorder.open(log, "r", redact=redact)
    recorder.on_new = lambda: commits.append(recorder.offsets["out"])
    data = f"my key: {KEY}\nmy key: {KEY}".encode()
    shown = data.replace(KEY.encode(), SEEN.encode()) if redact else data
    for at in range(0, len(data), 20):
        await recorder.record([Chunk("out", at, data[at : at + 20])])
    whole_lines = shown.index(b"\n") + 1
    assert await recorded(log, "out") == (shown[:whole_lines] if redact else shown)
    assert commits[-1] == (whole_lines if redact else len(data))
    await recorder.finish(0)
    assert recorder.offsets["out"] == len(data)
    words = b" ".join(entry.data for entry in await log.read("r"))
    assert (KEY.encode() in words) is not redact


@pytest.mark.parametrize("redact", [False, True])
async def test_notes_follow_each_other_and_the_run_ends_once(redact: bool) -> None:
    log = MemoryLog()
    recorder = await Recorder.open(log, "r", redact=redact)
    notes = [RunNote(f"note {number}", ts=number) for number in (1, 2, 3)]
    await recorder.note(notes[:1])
    await recorder.note(notes[1:])
    assert await recorded(log, NOTES) == b"".join(note.line() for note in notes)
    await recorder.finish(9)
    await recorder.finish(10)
    events = [decode_event(entry.data) for entry in await log.read("r")]
    assert [event.type for event in events].count("error") == 3
    assert [event.type for event in events].count("done") == 1
