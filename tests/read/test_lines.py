r"""Lines: cut at the byte `\n` and nowhere else, the same however the bytes arrive."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid import Translator
from unbraid.read.lines import Lines, Overlong
from unbraid.read.record import Record

LIMIT = 8

# Few different bytes and many newlines: short lines, long ones and blank ones.
atoms = [b"\n", b"\n", b"a", b"\r", b"\0", b"\xe2\x80\xa8", b"bbbbb"]
streams = st.lists(st.sampled_from(atoms), max_size=40).map(b"".join)
sizes = st.lists(st.integers(0, 20), max_size=12)

Placed = tuple[int, bytes | Record | Overlong]


def read(data: bytes, cuts: list[int], limit: int = LIMIT) -> list[Placed]:
    """Every line with its place in the stream, the bytes cut into pieces of these sizes."""
    lines = Lines(limit)
    found: list[Placed] = []
    for size in cuts:
        found += [(lines.offset, line) for line in lines.feed(data[:size])]
        data = data[size:]
    found += [(lines.offset, line) for line in lines.feed(data)]
    return found + [(lines.offset, line) for line in lines.finish()]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\n\n", [b"", b""]),
        (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
        (b"a\0\0\nb\n", [b"a\0\0", b"b"]),
        ("a\u2028b\u0085c\x0cd\x0b\x1ce\n".encode(), ["a\u2028b\u0085c\x0cd\x0b\x1ce".encode()]),
        (b"\xff\xfe\n\xe2\x82", [b"\xff\xfe", b"\xe2\x82"]),
    ],
)
def test_a_line_ends_at_a_newline_byte_and_nowhere_else(data: bytes, lines: list[bytes]) -> None:
    assert [line for _, line in read(data, [], 1000)] == lines


@given(streams, sizes)
def test_any_chunking_gives_the_same_lines_at_the_same_places(data: bytes, cuts: list[int]) -> None:
    assert read(data, cuts) == read(data, [])
    assert read(data, [1] * len(data)) == read(data, [])


@given(streams, sizes)
def test_every_line_is_where_its_offset_says(data: bytes, cuts: list[int]) -> None:
    found = read(data, cuts)
    wanted = data.split(b"\n")
    assert len(found) == len(wanted) - (wanted[-1] == b"")
    for (offset, line), want in zip(found, wanted, strict=False):
        assert data[offset : offset + len(want)] == want
        if len(want) > LIMIT:
            assert line == Overlong(len(want), want[:LIMIT])
        else:
            assert line == want


@pytest.mark.parametrize("cuts", [[], [1] * 40, [9], [8, 1], [3, 9, 9]])
def test_a_line_over_the_limit_is_reported_once_and_the_stream_goes_on(cuts: list[int]) -> None:
    data = b"short\n" + b"x" * 20 + b"\n12345678\n" + b"y" * 9
    assert [line for _, line in read(data, cuts)] == [
        b"short",
        Overlong(20, b"x" * LIMIT),
        b"12345678",
        Overlong(9, b"y" * LIMIT),
    ]


def test_memory_is_bounded_by_one_line_however_long_it_gets() -> None:
    lines, piece = Lines(1000), b"x" * 100
    tracemalloc.start()
    for _ in range(10_000):
        assert list(lines.feed(piece)) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000
    assert list(lines.feed(b"\n")) == [Overlong(1_000_000, b"x" * 1000)]
    assert list(lines.feed(b"next\n")) == [b"next"]


def test_the_end_may_come_twice() -> None:
    lines = Lines()
    assert list(lines.feed(b"a")) == []
    assert list(lines.finish()) == [b"a"]
    assert list(lines.finish()) == []


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        Translator(max_line_bytes=0)
