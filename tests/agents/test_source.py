"""What a process prints is recorded byte for byte, line by line, as its kind reads it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.source import PrintingSource, Recorded, Source
from unbraid.read.chunk import Chunk, joined
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES


class Printing(PrintingSource):
    """A kind that hides a word of what is printed."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[bytes] = []

    def _line(self, line: bytes) -> bytes:
        self.lines.append(line)
        return line.replace(b"secret", b"-")

    def read(self, *, at_once: bool = False) -> list[Chunk]:
        return self._take_printed()


@given(st.lists(st.text("ab\n{ ").map(str.encode)))
def test_lines_come_whole_and_in_order_however_they_were_printed(pieces: list[bytes]) -> None:
    source, chunks = Printing(), list[Chunk]()
    for piece in pieces:
        source.printed(piece)
        chunks += source.read()
    assert not source.has_ended
    source.end()
    chunks += source.read()
    assert source.has_ended and source.read() == []
    stream = b"".join(pieces)
    assert source.lines == stream.splitlines(keepends=True) == [chunk.data for chunk in chunks]
    assert [(chunk.offset, chunk.data) for chunk in joined(chunks)] == (
        [(0, stream)] if stream else []
    )


def test_offsets_count_what_is_recorded_and_not_what_was_printed() -> None:
    source = Printing()
    source.printed(b"a secret\nb\n")
    assert [(chunk.offset, chunk.data) for chunk in source.read()] == [(0, b"a -\n"), (4, b"b\n")]


def test_a_line_past_the_limit_comes_in_parts() -> None:
    source = Printing()
    source.printed(b"x" * DEFAULT_MAX_LINE_BYTES)
    assert source.read() == []
    source.printed(b"x")
    assert sum(len(chunk.data) for chunk in source.read()) == DEFAULT_MAX_LINE_BYTES + 1
    source.printed(b"y\nz\n")
    assert [chunk.data for chunk in source.read()] == [b"y\n", b"z\n"]


def test_a_source_has_nothing_to_say_by_default() -> None:
    source = Source()
    source.printed(b"a line\n")
    source.begin(Recorded())
    assert (source.session_id, source.unsettled, source.problems) == (None, False, {})
    assert (source.moved_to(), source.follow("s", Recorded())) == (None, None)
    assert list(source.read()) == [] and not source.has_ended
    source.end()
    assert list(source.read(at_once=True)) == [] and source.has_ended
