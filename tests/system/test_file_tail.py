"""Files as others write them: appended in halves, truncated, rewritten, replaced, deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.system import file_tail as follow
from unbraid.system.file_tail import MARK_BYTES, Place, Tail


def read(tail: Tail, upto: int | None = None) -> bytes:
    return b"".join(piece.data for piece in tail.read(upto))


def place_after(seen: bytes) -> Place:
    """Returns what the log knows of a file after these bytes of it."""
    return Place(1, len(seen), seen[:MARK_BYTES], tail=seen[-MARK_BYTES:])


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_lines_come_whole_even_if_they_are_written_byte_by_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    tail = Tail(path)
    seen = []
    for byte in b"one\ntwo\n\nthree":
        append(path, bytes([byte]))
        seen += [piece.data for piece in tail.read()]
    assert seen == [b"one\n", b"two\n", b"\n"]
    (rest,) = tail.rest()
    assert (rest.offset, rest.data) == (9, b"three")


@given(st.lists(st.binary(max_size=12), max_size=12), st.integers(1, 7))
def test_any_pieces_give_all_whole_lines_once(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], read_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("f") / "a"
    tail, seen, at = Tail(path), b"", 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "READ_BYTES", read_bytes)
        for piece in pieces:
            append(path, piece)
            for got in tail.read():
                assert got.offset == at
                at += len(got.data)
                seen += got.data
            # A restart at any offset changes nothing.
            tail = Tail(path, place_after(seen))
    whole = b"".join(pieces)
    assert seen == whole[: whole.rfind(b"\n") + 1]


def test_a_snapshot_of_the_size_is_not_read_past(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    size = tail.size()
    append(path, b"three\n")
    assert read(tail, size) == b"one\ntwo\n"
    assert read(tail, size) == b""
    assert read(tail) == b"three\n"


@pytest.mark.parametrize("content", [b"", b"new\n", b"another\nfile, longer than the first\n"])
def test_a_rewritten_file_is_its_next_generation(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    assert [tail.generation for piece in tail.read()] == [1]
    path.write_bytes(content)
    assert [(tail.generation, p.offset, p.data) for p in tail.read()] == (
        [(2, 0, content)] if content else []
    )
    append(path, b"more\n")
    assert [(tail.generation, p.offset) for p in tail.read()] == [(2, len(content))]


def test_a_rewrite_while_nobody_looked_is_noticed_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    assert read(tail) == b"one\ntwo\n"
    path.write_bytes(b"uno\ntwo\nthree\n")
    again = Tail(path, place_after(b"one\ntwo\n"))
    assert [(again.generation, p.data) for p in again.read()] == [(2, b"uno\ntwo\nthree\n")]


def test_a_copy_with_more_in_it_has_only_grown(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"one\n")
    tail = Tail(path)
    assert read(tail) == b"one\n"
    other.write_bytes(b"one\ntwo\n")
    other.replace(path)
    assert [(tail.generation, p.offset, p.data) for p in tail.read()] == [(1, 4, b"two\n")]


def test_a_deleted_file_gives_nothing_and_one_that_comes_back_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    tail = Tail(path)
    assert read(tail) == b""
    assert tail.problem == "No such file or directory"
    path.write_bytes(b"one\n")
    assert read(tail) == b"one\n"
    assert tail.problem is None
    path.unlink()
    assert read(tail) == b""
    path.write_bytes(b"other\n")
    assert [(tail.generation, p.data) for p in tail.read()] == [(2, b"other\n")]


def test_a_line_over_many_reads_is_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    tail, asked = Tail(path), 0
    real = os.pread

    def counting(file: int, count: int, offset: int) -> bytes:
        nonlocal asked
        data = real(file, count, offset)
        asked += len(data)
        return data

    monkeypatch.setattr(os, "pread", counting)
    for _ in range(100):
        append(path, b"x" * 1000)
        assert read(tail) == b""
    append(path, b"\n")
    assert len(read(tail)) == 100_001
    assert asked < 3 * 100_001


def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    assert read(Tail(tmp_path)) == b""
    tail = Tail(tmp_path)
    list(tail.read())
    assert tail.problem == "Is a directory"


def test_a_place_may_come_with_some_or_none_of_the_first_bytes(tmp_path: Path) -> None:
    """A run that goes on where another has ended knows only how far that came."""
    for head, last in ((b"", b""), (b"on", b""), (b"one\n", b"two\n"), (b"", b"o\n")):
        path = tmp_path / "a"
        path.write_bytes(b"one\ntwo\n")
        tail = Tail(path, Place(1, 8, head, last))
        for number in range(3):
            line = b"%d\n" % number
            append(path, line)
            output = [(tail.generation, piece.offset, piece.data) for piece in tail.read()]
            assert output == [(1, 8 + 2 * number, line)]
        path.write_bytes(b"one\nand something else that is longer\n")
        assert [tail.generation for piece in tail.read()] == [2]
