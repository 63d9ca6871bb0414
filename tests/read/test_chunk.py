"""Chunks of a source, joined."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unbraid.read.chunk import JOINED_BYTES, Chunk, ChunkedSource, joined


def test_a_source_counts_the_offsets_of_its_chunks() -> None:
    source = ChunkedSource("a")
    chunks = [source.chunk(data) for data in (b"one", b"", b"two")]
    assert chunks == [Chunk("a", 0, b"one"), Chunk("a", 3, b""), Chunk("a", 3, b"two")]


def test_neighbours_of_one_source_become_one_chunk() -> None:
    chunks = [
        Chunk("a", 0, b"one"),
        Chunk("a", 3, b"two"),
        Chunk("b", 0, b"x"),
        Chunk("a", 6, b"!"),
    ]
    assert list(joined(chunks)) == [Chunk("a", 0, b"onetwo"), Chunk("b", 0, b"x"), chunks[3]]


def test_holes_notes_and_other_times_stay_apart() -> None:
    chunks = [
        Chunk("a", 0, b"one"),
        Chunk("a", 4, b"hole"),
        Chunk("a", 8, b""),
        Chunk("a", 8, b"more", 5),
        Chunk("a", 12, b"later", 6),
    ]
    assert list(joined(chunks)) == chunks


def test_what_is_joined_is_bounded() -> None:
    half = bytes(JOINED_BYTES // 2)
    chunks = [Chunk("a", number * len(half), half) for number in range(5)]
    assert [len(chunk.data) for chunk in joined(chunks)] == [2 * len(half)] * 2 + [len(half)]


def test_what_came_before_a_failure_is_given_out() -> None:
    def failing() -> Iterator[Chunk]:
        yield Chunk("a", 0, b"one")
        raise OSError("gone")

    chunks = joined(failing())
    assert next(chunks) == Chunk("a", 0, b"one")
    with pytest.raises(OSError, match="gone"):
        next(chunks)
