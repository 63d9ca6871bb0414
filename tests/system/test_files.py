"""Files are read in pieces: whatever the pieces are, the lines are the file's own."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid.system.files as files
from unbraid.system.files import SMALL_FILE_BYTES, HeadReader, line_blocks, open_regular, read_small

CHUNK = 8
LIMIT = 20


@given(lines=st.lists(st.integers(0, 60), max_size=12), ended=st.booleans())
def test_blocks_are_whole_lines_and_only_those_over_the_limit_are_missing(
    tmp_path_factory: pytest.TempPathFactory, lines: list[int], ended: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "file"
    given_lines = [bytes([97 + number]) * size for number, size in enumerate(lines)]
    whole = b"\n".join(given_lines) + (b"\n" if ended and lines else b"")
    path.write_bytes(whole)
    with pytest.MonkeyPatch.context() as patch, open_regular(path) as file:
        patch.setattr(files, "CHUNK_BYTES", CHUNK)
        patch.setattr(files, "PAGE_BYTES", 3)
        blocks = list(line_blocks(file, LIMIT))
    seen = [each for block in blocks for each in block.split(b"\n") if each]
    assert [each for each in seen if len(each) <= LIMIT] == [
        each for each in given_lines if 0 < len(each) <= LIMIT
    ]
    # That a line is over the limit may be noticed as late as in its last piece.
    assert all(each in given_lines and len(each) <= LIMIT + CHUNK for each in seen)


def test_of_a_small_file_that_is_not_small_the_first_part_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * (SMALL_FILE_BYTES + 5))
    assert read_small(path) == b"a" * SMALL_FILE_BYTES
    path.write_bytes(b"abc")
    assert read_small(path) == b"abc"
    assert read_small(path, 2) == b"ab"


def test_heads_are_never_read_behind_a_link_and_leave_nothing_open(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one").write_bytes(name.encode() * 9)
    (tmp_path / "b" / "link").symlink_to(tmp_path / "a" / "one")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    (tmp_path / "b" / "folder").mkdir()
    os.mkfifo(tmp_path / "b" / "pipe")
    opened = open_files()
    with closing(HeadReader()) as heads:
        for _ in range(2):
            assert heads.read(f"{tmp_path}/a/one", 3) == b"aaa"
            assert heads.read(f"{tmp_path}/b/one", 99) == b"b" * 9
            for name in ("b/link", "linked/one", "b/folder", "b/pipe", "b/gone", "gone/one"):
                with pytest.raises(OSError, match=r"\[Errno"):
                    heads.read(f"{tmp_path}/{name}", 3)
    assert open_files() == opened


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0
