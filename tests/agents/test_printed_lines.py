"""What a process prints is recorded byte for byte, line by line, as its kind reads it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.printed_lines import PrintedLines
from unbraid.wire.chunk import Chunk, joined
from unbraid.wire.lines import DEFAULT_MAX_LINE_BYTES


@given(st.lists(st.text("ab\n{ ").map(str.encode)))
def test_lines_come_whole_and_in_order_however_they_were_printed(pieces: list[bytes]) -> None:
    read: list[bytes] = []

    def note(line: bytes) -> bytes:
        read.append(line)
        return line

    lines, chunks = PrintedLines(note), list[Chunk]()
    for piece in pieces:
        lines.feed(piece)
        chunks += lines.take()
    assert not lines.has_ended
    lines.end()
    chunks += lines.take()
    assert lines.has_ended and lines.take() == []
    stream = b"".join(pieces)
    assert read == stream.splitlines(keepends=True) == [chunk.data for chunk in chunks]
    assert [(chunk.offset, chunk.data) for chunk in joined(chunks)] == (
        [(0, stream)] if stream else []
    )


def test_offsets_count_what_is_recorded_and_not_what_was_printed() -> None:
    lines = PrintedLines(lambda line: line.replace(b"secret", b"-"))
    lines.feed(b"a secret\nb\n")
    assert [(chunk.offset, chunk.data) for chunk in lines.take()] == [(0, b"a -\n"), (4, b"b\n")]


def test_a_line_past_the_limit_comes_in_parts() -> None:
    lines = PrintedLines(bytes)
    lines.feed(b"x" * DEFAULT_MAX_LINE_BYTES)
    assert lines.take() == []
    lines.feed(b"x")
    assert sum(len(chunk.data) for chunk in lines.take()) == DEFAULT_MAX_LINE_BYTES + 1
    lines.feed(b"y\nz\n")
    assert [chunk.data for chunk in lines.take()] == [b"y\n", b"z\n"]
