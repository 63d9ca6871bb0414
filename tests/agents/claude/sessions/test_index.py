"""The index: what a session used, by its files alone, is what the translator finds in them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.block_rows import FOLDERS
from tests.watch.writing import Writer, append
from unbraid.agents.claude.sessions.index import FILE_NAME, Index
from unbraid.agents.claude.sessions.index_row import IndexRow
from unbraid.agents.opencode.sessions.index import opencode_rows
from unbraid.fleet.tree import Tree
from unbraid.fleet.usage import Usage
from unbraid.sessions.sources import events_of, runs_of_sources

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
WITH_DATABASE = [folder for folder in FOLDERS if (folder / "opencode.db").is_file()]


def rows(config: Path, home: Path | None = None) -> list[IndexRow]:
    return list(Index(home).rows({"CLAUDE_CONFIG_DIR": str(config)}))


def numbers(usage: Usage) -> list[int]:
    return [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_creation_tokens,
    ]


def totals(tree: Tree) -> list[int]:
    total = Usage()
    for node in tree.nodes.values():
        total.add(node.usage)
    return numbers(total)


@pytest.mark.parametrize("folder", WITH_PROJECTS, ids=lambda folder: folder.name)
def test_a_session_is_its_agents_and_what_they_used(folder: Path) -> None:
    (row,) = rows(folder)
    (run,) = runs_of_sources([row.path], {})
    tree = Tree(events_of(run))
    # Its own account, where it has more than its messages (a compaction is in no transcript).
    assert numbers(row.usage) == numbers(tree.rolled_up())
    agents = {
        node.agent_id or node.tool_use_id
        for node in tree.nodes.values()
        if node.stream_id and node.resumes is None and node.updated
    }
    spoke = [node for node in tree.nodes.values() if node.stream_id and sum(numbers(node.usage))]
    assert row.agent_count <= 1 + len(agents)
    assert len([agent for agent in row.agents if sum(numbers(agent.usage))]) <= len(spoke)
    assert row.session_id == run.session
    assert row.started <= row.updated


@pytest.mark.parametrize("folder", WITH_DATABASE, ids=lambda folder: folder.name)
def test_opencodes_sessions_are_rows_too(folder: Path) -> None:
    (row,) = opencode_rows(folder / "opencode.db")
    (run,) = runs_of_sources([str(folder / "opencode.db")], {})
    tree = Tree(events_of(run))
    assert row.session_id == run.session
    assert numbers(row.usage) == totals(tree)


def test_a_second_look_reads_only_what_has_changed(tmp_path: Path) -> None:
    config = tmp_path / "config"
    for folder in WITH_PROJECTS[:4]:
        shutil.copytree(folder / "projects", config / "projects", dirs_exist_ok=True)
    env = {"CLAUDE_CONFIG_DIR": str(config)}
    first = Index(tmp_path / "home")
    seen = list(first.rows(env))
    assert len(seen) == 4
    assert first.read_bytes == sum(
        p.stat().st_size for p in config.rglob("*.jsonl") if "journal" not in p.name
    )
    again = Index(tmp_path / "home")
    assert list(again.rows(env)) == seen
    assert again.read_bytes == 0
    changed = Path(seen[0].path)
    with changed.open("ab") as file:
        file.write(b"\n")
    third = Index(tmp_path / "home")
    assert len(list(third.rows(env))) == 4
    assert third.read_bytes == changed.stat().st_size
    changed.unlink()
    assert len(list(Index(tmp_path / "home").rows(env))) == 3


def test_newest_first_and_since(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-a"
    project.mkdir(parents=True)
    for number in range(5):
        path = project / f"00000000-0000-4000-8000-00000000000{number}.jsonl"
        path.write_bytes(b'{"type":"user","message":{"content":"Hello."}}\n')
        os.utime(path, (1000 + number, 1000 + number))
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    assert [row.session_id[-1] for row in Index(None).rows(env)] == list("43210")
    recent = Index(None).rows(env, since_ns=1002 * 10**9)
    assert [(row.session_id[-1], row.title) for row in recent] == [
        (name, "Hello.") for name in "432"
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\0\0\0", b'{"usage":{', b'{"message":{"id":"m","usage":{}}}', b"[]\n1"],
)
def test_nothing_inside_a_file_breaks_it(tmp_path: Path, content: bytes) -> None:
    project = tmp_path / "projects" / "-a"
    project.mkdir(parents=True)
    (project / "00000000-0000-4000-8000-000000000000.jsonl").write_bytes(content)
    (row,) = rows(tmp_path)
    assert numbers(row.usage) == [0, 0, 0, 0]


def test_a_broken_index_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "index.bin").write_bytes(b"nonsense")
    assert len(rows(WITH_PROJECTS[0], tmp_path)) == 1
    assert len(rows(WITH_PROJECTS[0], tmp_path)) == 1


def test_titles_are_masked_before_they_are_kept(tmp_path: Path) -> None:
    config, home = tmp_path / "config", tmp_path / "home"
    shutil.copytree(WITH_PROJECTS[0] / "projects", config / "projects")
    env = {"CLAUDE_CONFIG_DIR": str(config)}
    (plain,) = Index(home).rows(env)
    assert plain.title is not None
    kept = (home / FILE_NAME).read_bytes()
    assert plain.title.encode() in kept

    def masking(title: str) -> str:
        return "*" * len(title)

    again = Index(home, masking)
    (row,) = again.rows(env)
    assert row.title == masking(plain.title)
    assert again.read_bytes == 0
    assert (home / FILE_NAME).read_bytes() == kept.replace(
        plain.title.encode(), masking(plain.title).encode()
    )
    (home / FILE_NAME).unlink()
    assert [row.title for row in Index(home, masking).rows(env)] == [masking(plain.title)]
    assert plain.title.encode() not in (home / FILE_NAME).read_bytes()


def test_what_stands_beside_a_transcript_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt("Look.") + writer.text("So."))
    child = writer.child("a1", "toolu_1")
    append(child, writer.text("helps", "a1"))
    meta = child.with_name("agent-a1.meta.json")
    names = []
    for text in (None, '{"agentType":"Plan"}', '{"agentType":7}', ""):
        if text is not None:
            meta.write_text(text)
        for _ in ("read", "from the index"):
            (row,) = rows(tmp_path / "claude", tmp_path)
            names.append(row.agents[0].agent)
    meta.unlink()
    (row,) = rows(tmp_path / "claude", tmp_path)
    assert names == ["Explore", "Explore", "Plan", "Plan", None, None, None, None]
    assert row.agents[0].agent is None
