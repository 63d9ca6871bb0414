r"""Attack: an agent writes lines of two bytes that are no records, and fills its reader's disk.

0.6 MB of `0\n` were 79 MB of log, one event a line. The first such lines of a source are reported
one by one, and the rest by a few summaries that say how many there were, and where.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from unbraid.events import Malformed, Unrecognized
from unbraid.fold.pipeline import Pipeline
from unbraid.log import open_log
from unbraid.read.chunk import Chunk
from unbraid.read.reader import MAX_MENDED_BYTES
from unbraid.read.translator import Translator
from unbraid.record.recorder import Recorder


def stored_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


async def test_it_stays_small_in_the_log(tmp_path: Path) -> None:
    log = await open_log(tmp_path / "log.db")
    recorder = await Recorder.open(log, "r")
    await recorder.feed([Chunk("out", 0, b"0\n" * 60_000)], 1)
    await recorder.finish(2)
    await log.close()
    assert stored_bytes(tmp_path) < 500_000


def test_every_line_is_counted_and_the_first_are_shown() -> None:
    translator = Translator()
    events = translator.feed(b"0\n" * 10_000) + translator.finish()
    malformed = [event for event in events if isinstance(event, Malformed)]
    assert len(malformed) < 120
    assert [event.offset for event in malformed[:100]] == list(range(0, 200, 2))
    assert all(event.count is None for event in malformed[:100])
    assert sum(event.count or 1 for event in malformed) == 10_000
    assert malformed[100].last_offset == 398
    assert malformed[100].reason.startswith("100 malformed lines, the first: ")
    assert malformed[-1].last_offset == 2 * 9_999


def test_records_that_nobody_knows_are_counted_too() -> None:
    translator = Translator()
    events = translator.feed(b"{}\n" * 20_000) + translator.finish()
    assert len(events) < 1_020
    assert sum(event.count or 1 for event in events if isinstance(event, Unrecognized)) == 20_000


def test_the_same_lines_give_the_same_events_however_they_are_cut() -> None:
    lines = [b"0\n", b"{}\n", b'{"type":"x"}\n', b"[\n", b'{"cut\n']
    chance = random.Random(7)
    data = b"".join(chance.choice(lines) for _ in range(5_000))
    at_once = Pipeline("toy")
    whole = at_once.feed(data) + at_once.finish()
    in_parts, parts, at = Pipeline("toy"), [], 0
    while at < len(data):
        size = chance.randrange(1, 3_000)
        parts += in_parts.feed(data[at : at + size])
        at += size
    assert parts + in_parts.finish() == whole


@pytest.mark.parametrize("text", [b'{"' * 2_000_000, b'{"type":1,"a":[' + b"{}," * 5_000_000])
def test_a_long_damaged_line_is_not_read_again_and_again(text: bytes) -> None:
    # Each `{"` may be where a record begins that follows a cut-off one. Seconds, not minutes:
    # the time limit of every test is the assertion.
    assert len(text) > MAX_MENDED_BYTES // 3
    translator = Translator()
    (event,) = translator.feed(text + b"\n")
    assert isinstance(event, Malformed)
    assert len(event.raw) == 1024
