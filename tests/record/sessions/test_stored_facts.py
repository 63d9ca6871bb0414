"""What lists show of stored sessions is read once, and kept, for nobody else, until they change."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.block_rows import FOLDERS
from tests.record.watch.writing import Writer, append
from unbraid.record.sessions.stored_facts import FILE_NAME, SCHEMA, FoundFacts, stored_facts

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
SESSION = "11111111-2222-4333-8444-555555555555"


def facts(
    config: Path,
    home: Path | None = None,
    *,
    since_ms: int = 0,
    warn: Callable[[str], None] = pytest.fail,
    redact: Callable[[str], str] | None = None,
) -> list[FoundFacts]:
    env = {"CLAUDE_CONFIG_DIR": str(config), "HOME": str(config)}
    return list(stored_facts(env, home, since_ms=since_ms, warn=warn, redact=redact))


def changed_unseen(path: Path, before: bytes, after: bytes) -> None:
    """Changes a file in a way that its size and its time do not show."""
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(before, after))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def test_a_second_look_reads_only_what_has_changed(tmp_path: Path) -> None:
    config, home = tmp_path / "config", tmp_path / "home"
    for folder in WITH_PROJECTS[:4]:
        shutil.copytree(folder / "projects", config / "projects", dirs_exist_ok=True)
    first = facts(config, home)
    assert len(first) == 4
    mains = {path.stem: path for path in config.rglob("*.jsonl")}
    for path in mains.values():
        changed_unseen(path, b'"cwd":"/home', b'"cwd":"/emoh')
    assert facts(config, home) == first
    changed = mains[first[0].session_id]
    append(changed, b"\n")
    again = {row.session_id: row.facts.cwd for row in facts(config, home)}
    assert again == {
        row.session_id: (row.facts.cwd or "").replace("/home", "/emoh")
        if row is first[0]
        else row.facts.cwd
        for row in first
    }
    changed.unlink()
    assert len(facts(config, home)) == 3
    assert first[0].session_id.encode() not in (home / FILE_NAME).read_bytes()


def test_newest_first_and_since(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-a"
    project.mkdir(parents=True)
    for number in range(5):
        path = project / f"00000000-0000-4000-8000-00000000000{number}.jsonl"
        path.write_bytes(b'{"type":"user","isSidechain":false,"message":{"content":"Hello."}}\n')
        os.utime(path, (1000 + number, 1000 + number))
    assert [row.session_id[-1] for row in facts(tmp_path)] == list("43210")
    recent = facts(tmp_path, since_ms=1002 * 1000)
    assert [(row.session_id[-1], row.facts.title) for row in recent] == [
        (name, "Hello.") for name in "432"
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\0\0\0", b'{"usage":{', b'{"message":{"id":"m","usage":{}}}', b"[]\n1"],
)
def test_nothing_inside_a_file_breaks_it(tmp_path: Path, content: bytes) -> None:
    project = tmp_path / "projects" / "-a"
    project.mkdir(parents=True)
    (project / f"{SESSION}.jsonl").write_bytes(content)
    (row,) = facts(tmp_path)
    assert (row.facts.usage.total_tokens, row.facts.agents) == (0, 1)


def kept(**more: object) -> bytes:
    return msgspec.msgpack.encode({"schema": SCHEMA, "prices": "", **more})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        kept(kinds={"claude": {SESSION: 7}}),
        kept(prices="abcd").replace(b"bc", b"\xff\xfe"),
        kept(schema=0, kinds={"claude": {"made-up": []}}),
        kept(prices="other", kinds={}),
    ],
    ids=["empty", "nonsense", "wrong", "no text", "another schema", "other prices"],
)
def test_what_cannot_be_used_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(data)
    first = facts(WITH_PROJECTS[0], tmp_path)
    assert len(first) == 1
    assert (tmp_path / FILE_NAME).read_bytes() != data
    assert facts(WITH_PROJECTS[0], tmp_path) == first


def test_titles_are_redacted_before_they_are_kept_and_those_that_were_kept(tmp_path: Path) -> None:
    config, home = tmp_path / "config", tmp_path / "home"
    shutil.copytree(WITH_PROJECTS[0] / "projects", config / "projects")
    (plain,) = facts(config, home)
    title = plain.facts.title
    assert title is not None
    before = (home / FILE_NAME).read_bytes()
    assert title.encode() in before

    def redacted(text: str) -> str:
        return "*" * len(text)

    (row,) = facts(config, home, redact=redacted)
    assert row.facts.title == redacted(title)
    after = (home / FILE_NAME).read_bytes()
    assert after == before.replace(title.encode(), redacted(title).encode())
    (home / FILE_NAME).unlink()
    assert [row.facts.title for row in facts(config, home, redact=redacted)] == [redacted(title)]
    assert title.encode() not in (home / FILE_NAME).read_bytes()


def test_what_stands_beside_a_transcript_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    config = tmp_path / "claude"
    writer = Writer(config)
    append(writer.main, writer.prompt("Look.") + writer.text("So."))
    child = writer.child("a1", "toolu_1")
    append(child, writer.text("helps", "a1"))
    meta = child.with_name("agent-a1.meta.json")
    names = []
    for text in (None, '{"agentType":"Plan"}', '{"agentType":7}', ""):
        if text is not None:
            meta.write_text(text)
        for _ in ("read", "kept"):
            (row,) = facts(config, tmp_path)
            names.append(row.facts.shares[-1].agent)
    meta.unlink()
    (row,) = facts(config, tmp_path)
    assert names == ["Explore", "Explore", "Plan", "Plan", "agent", "agent", "agent", "agent"]
    assert row.facts.shares[-1].agent == "agent"


def test_the_folder_and_the_files_are_for_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    facts(WITH_PROJECTS[0], folder)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder)]
    assert modes == [0o700, 0o700]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    warnings: list[str] = []
    assert len(facts(WITH_PROJECTS[0], tmp_path, warn=warnings.append)) == 1
    assert warnings == [f"{tmp_path / FILE_NAME}: Is a directory"]


def test_a_sub_agent_that_cannot_be_read_hides_nobody_else(tmp_path: Path) -> None:
    config = tmp_path / "claude"
    writer = Writer(config)
    append(writer.main, writer.prompt("Look.") + writer.text("So."))
    child = writer.child("a1", "toolu_1")
    append(child, writer.text("helps", "a1"))
    moved = child.rename(child.with_name("elsewhere"))
    child.mkdir()
    assert len(facts(config, tmp_path)) == 1
    child.rmdir()
    moved.rename(child)
    (row,) = facts(config, tmp_path)
    assert row.facts.agents == 2
