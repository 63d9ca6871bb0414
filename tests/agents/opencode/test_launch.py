"""A process of OpenCode: all that it prints is in its run, also what nobody can read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.block_rows import RECORDINGS
from tests.forked import ran
from unbraid import Translator
from unbraid import events as e
from unbraid.agents.opencode.launch import OpenCodeSource
from unbraid.agents.opencode.store import Installation
from unbraid.agents.port import Recorded
from unbraid.log import SqliteLog
from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES

NOWHERE = {"HOME": "/nothing", "XDG_DATA_HOME": "/nothing"}
STDOUT = RECORDINGS / "fan-same-opening.run.opencode-1.2.27" / "stdout.ndjson"
FIRST, *OTHERS = STDOUT.read_bytes().splitlines(keepends=True)
UNREADABLE = {
    "a warning": b"(node:1) Warning: this is no record\n",
    "a record that is cut off": b'{"type":"text","sessionID":"ses_1","part":{"te\n',
    "a record with the next one glued on": FIRST[:20] + FIRST,
    "a number": b"17\n",
    "a wrong type": FIRST.replace(b'"type":"', b'"type":7,"was":"', 1),
    "an unknown record": b'{"type":"brand.new","says":"hello"}\n',
    "bytes that are no text": b"\xff\xfe\n",
    "a blank line": b" \n",
    "an empty line": b"\n",
    "a line nested too deep": b'{"type":"text","part":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n",
}


def recorded_chunks(printed: Iterable[bytes]) -> list[Chunk]:
    """Returns what is recorded of a process that has printed this."""
    source = OpenCodeSource(Installation(NOWHERE), began_ms=0)
    for data in printed:
        source.printed(data)
        assert list(source.read()) == []
    source.end()
    source.begin(Recorded())
    return [chunk for chunk in source.read() if chunk.data]


def shown(chunks: Iterable[Chunk]) -> list[e.RelayEvent]:
    translator = Translator()
    events = [event for chunk in chunks for event in translator.feed(chunk.data)]
    return events + translator.finish()


def bad_events(events: Iterable[e.RelayEvent]) -> list[e.RelayEvent]:
    return [event for event in events if isinstance(event, e.Malformed | e.Unrecognized)]


@pytest.mark.parametrize("line", UNREADABLE.values(), ids=list(UNREADABLE))
@given(cut=st.integers(0, 400), at=st.integers(0, len(OTHERS)))
def test_a_line_that_cannot_be_read_is_recorded_as_a_pipe_shows_it(
    line: bytes, cut: int, at: int
) -> None:
    stream = b"".join([FIRST, *OTHERS[:at], line, *OTHERS[at:]])
    chunks = recorded_chunks([stream[:cut], stream[cut:]])
    assert [chunk.offset for chunk in chunks] == [
        sum(len(each.data) for each in chunks[:index]) for index in range(len(chunks))
    ]
    assert b"".join(chunk.data for chunk in chunks) == stream
    assert shown(chunks) == shown([Chunk("stdout", 0, stream)])
    assert bool(bad_events(shown(chunks))) == bool(line.strip())


@pytest.mark.parametrize("end", [b"\n" + b"".join(OTHERS), b""], ids=["inside", "at the end"])
def test_an_overlong_line_is_recorded_as_a_pipe_shows_it(end: bytes) -> None:
    stream = FIRST + b"x" * (DEFAULT_MAX_LINE_BYTES + 1) + end
    cut = len(stream) // 3
    chunks = recorded_chunks([stream[:cut], stream[cut : 2 * cut], stream[2 * cut :]])
    (bad,) = bad_events(shown(chunks))
    assert isinstance(bad, e.Malformed)
    assert (bad.offset, "over the limit" in bad.reason) == (len(FIRST), True)
    assert shown(chunks) == shown([Chunk("stdout", 0, stream)])


async def test_a_run_has_what_cannot_be_read_where_it_was_printed(tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    before = b"".join([FIRST, *OTHERS[:2]])
    printed.write_bytes(before + b"Warning: no record\n" + b"".join(OTHERS[2:]) + b"cut o")
    program = tmp_path / "opencode"
    program.write_text(f"#!/bin/sh\nexec cat {printed}\n")
    program.chmod(0o755)
    env = os.environ | {
        "HOME": str(tmp_path),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
        "XDG_DATA_HOME": str(tmp_path / "share"),
    }
    done = ran("run", "--", str(program), "run", "--format", "json", "Go.", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.encode() == printed.read_bytes()
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    [run] = await log.runs()
    events = [entry.event for entry in await log.read(run.run)]
    await log.close()
    bad = [event for event in events if isinstance(event, e.FleetMalformed)]
    cut_at = printed.stat().st_size - len("cut o")
    assert [(x.raw, x.offset) for x in bad] == [
        ("Warning: no record", len(before)),
        ("cut o", cut_at),
    ]
    types = [event.type for event in events]
    assert types.index("text") < types.index("malformed") < types.index("tool_use")
