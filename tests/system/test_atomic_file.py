"""A file is replaced whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.system.full_disk import full_disk
from unbraid.errors import CallerError, LogError
from unbraid.fold.run_trace import TraceParent
from unbraid.send.otel import TraceParents
from unbraid.serve.access import TokenFile
from unbraid.system.atomic_file import write_atomically
from unbraid.system.service import Service, ServiceError, SystemdUser, write_service


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [True, False])
def test_a_new_file_is_for_its_user_alone(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "new" / "file"
    write_atomically(path, b"content", durable=durable)
    assert path.read_bytes() == b"content"
    assert mode_of(path) == 0o600
    assert [*path.parent.iterdir()] == [path]


def test_a_file_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new", mode=0o600)
    assert (path.read_bytes(), mode_of(path)) == (b"new", 0o640)


def test_in_a_private_folder_nobody_else_gets_access(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"old", private_folder=True)
    assert [mode_of(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    path.chmod(0o644)
    write_atomically(path, b"new", private_folder=True)
    assert mode_of(path) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target" / "file", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"one", b"two"):
        write_atomically(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content


@pytest.mark.parametrize("durable", [True, False])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    with full_disk(), pytest.raises(OSError):
        write_atomically(path, b"longer than one byte", durable=durable)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_what_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "file", b"content")
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


@pytest.mark.parametrize("private_folder", [True, False])
def test_a_folder_that_cannot_be_made_raises(tmp_path: Path, private_folder: bool) -> None:
    (tmp_path / "folder").write_bytes(b"no folder")
    with pytest.raises(OSError):
        write_atomically(tmp_path / "folder" / "file", b"content", private_folder=private_folder)
    assert (tmp_path / "folder").read_bytes() == b"no folder"


def test_writers_at_the_same_time_never_mix_what_they_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([number]) * 100_000 for number in range(8)]

    def write(content: bytes) -> bytes:
        for _ in range(20):
            write_atomically(path, content, durable=False)
        return path.read_bytes()

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(write, contents)) <= set(contents)
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_its_callers_keep_their_files_when_the_disk_is_full(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    tokens.add("one")
    parents = TraceParents(tmp_path)
    parents.put("one", TraceParent(1, 2))
    manager = SystemdUser({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    write_service(manager, Service(("true",), {}))
    assert mode_of(manager.path) == 0o644
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with full_disk():
        with pytest.raises(CallerError):
            tokens.add("two")
        with pytest.raises(LogError):
            parents.put("two", TraceParent(1, 2))
        with pytest.raises(ServiceError):
            write_service(manager, Service(("false",), {}))
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before
