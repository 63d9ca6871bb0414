"""What was read of session files is kept, for nobody else, until they change."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from unbraid.agents.facts_cache import CachedFacts, FactsCache, load_facts


class NoteFacts(Struct):
    size: int
    mtime_ns: int = 5
    title: str | None = None


class CachedNotes(CachedFacts[NoteFacts]):
    """What the file has."""


def content_of(path: Path | None, schema: int = 1, prices: str = "p") -> CachedNotes:
    return load_facts(path, CachedNotes, schema=schema, prices=prices)


def saved(path: Path, **files: NoteFacts) -> None:
    cache = FactsCache(path, content_of(None))
    for name, facts in files.items():
        cache.put(name, facts)
    assert cache.save() == {}


def test_facts_are_those_of_a_file_that_has_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "facts.bin"
    saved(path, a=NoteFacts(3, title="A"))
    cache = FactsCache(path, content_of(path))
    assert cache.get("a", 3, 5) == NoteFacts(3, title="A")
    assert (cache.get("a", 4, 5), cache.get("a", 3, 6), cache.get("b", 3, 5)) == (None, None, None)


def test_nothing_is_written_that_has_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "facts.bin"
    saved(path, a=NoteFacts(3))
    content = content_of(path)
    path.unlink()
    cache = FactsCache(path, content)
    cache.get("a", 3, 5)
    assert cache.save() == {}
    assert not path.exists()


def test_files_that_are_gone_or_cannot_be_read_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "facts.bin"
    saved(path, a=NoteFacts(1), b=NoteFacts(2), c=NoteFacts(3))
    cache = FactsCache(path, content_of(path))
    cache.get("a", 1, 5)
    cache.get("b", 2, 5)
    cache.drop("b")
    cache.put("d", NoteFacts(4))
    cache.drop_unused()
    cache.save()
    assert content_of(path).files == {"a": NoteFacts(1), "d": NoteFacts(4)}


def test_titles_are_redacted_before_they_are_kept_and_those_that_were_kept(tmp_path: Path) -> None:
    path = tmp_path / "facts.bin"
    saved(path, a=NoteFacts(1, title="secret"))
    cache = FactsCache(path, content_of(path), lambda title: title.replace("secret", "***"))
    cache.put("b", NoteFacts(2, title="a secret"))
    cache.save()
    kept = {name: facts.title for name, facts in content_of(path).files.items()}
    assert kept == {"a": "***", "b": "a ***"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        msgspec.msgpack.encode({"schema": 1, "prices": "p", "files": {"a": 7}}),
        msgspec.msgpack.encode({"schema": 1, "prices": "abcd"}).replace(b"bc", b"\xff\xfe"),
        msgspec.msgpack.encode({"schema": 2, "prices": "p", "files": {"a": {"size": 1}}}),
        msgspec.msgpack.encode({"schema": 1, "prices": "q", "files": {"a": {"size": 1}}}),
    ],
    ids=["empty", "nonsense", "wrong", "no text", "another schema", "other prices"],
)
def test_what_cannot_be_used_is_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "facts.bin"
    path.write_bytes(data)
    assert content_of(path) == CachedNotes(1, "p")


def test_the_folder_and_the_file_are_for_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    saved(folder / "facts.bin", a=NoteFacts(1))
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder)]
    assert modes == [0o700, 0o700]
    assert [path.name for path in folder.iterdir()] == ["facts.bin"]
    assert stat.S_IMODE((folder / "facts.bin").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "facts.bin"
    path.mkdir()
    cache = FactsCache(path, content_of(path))
    cache.put("a", NoteFacts(1))
    assert cache.save() == {str(path): "Is a directory"}
    assert [each.name for each in tmp_path.iterdir()] == ["facts.bin"]
