"""The log's file takes at most twice the bytes of what it was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.log import SqliteLog
from unbraid.read.chunk import Chunk
from unbraid.record.recorder import Recorder

RECORDINGS = Path(__file__).parents[2] / "recordings"
RUNS = 20


@pytest.mark.parametrize("lines_at_once", [1, 50])
@pytest.mark.parametrize("over", [True, False])
@pytest.mark.parametrize("name", ["deep-fan.plain.2.1.197", "fan-four.partial.2.0.76"])
async def test_the_file_is_at_most_twice_its_sources(
    tmp_path: Path, name: str, *, over: bool, lines_at_once: int
) -> None:
    lines = (RECORDINGS / name / "stdout.ndjson").read_bytes().splitlines(keepends=True)
    batches = [
        b"".join(lines[first : first + lines_at_once])
        for first in range(0, len(lines), lines_at_once)
    ]
    log = await SqliteLog.open(tmp_path / "log.db")
    for number in range(RUNS):
        recorder = await Recorder.open(log, f"r{number}")
        offset = 0
        for data in batches:
            await recorder.feed([Chunk("stdout", offset, data)], 1)
            offset += len(data)
        if over:
            await recorder.finish(1)
    await log.search("words")  # what was said is in the index
    await log.close()
    assert (tmp_path / "log.db").stat().st_size < 2 * RUNS * sum(map(len, lines))
