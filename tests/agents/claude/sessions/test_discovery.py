"""Names that look like sessions and are none: nobody stumbles over them, or waits for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.sessions.layout import Scan, session_transcripts
from unbraid.record.sessions.importer import complete_name
from unbraid.record.sessions.stored_facts import stored_facts

IDS = [f"{digit}1111111-1111-4111-8111-111111111111" for digit in range(2, 6)]


def test_what_is_no_file_and_no_folder_is_passed_over(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    append(writer.main, writer.prompt() + writer.text("one"))
    project, env = writer.main.parent, {"CLAUDE_CONFIG_DIR": str(tmp_path), "HOME": str(tmp_path)}
    pipe, folder, nowhere, loop = (project / f"{name}.jsonl" for name in IDS)
    os.mkfifo(pipe)
    folder.mkdir()
    nowhere.symlink_to(tmp_path / "nowhere")
    loop.symlink_to(loop)
    (project.parent / "loop").symlink_to("loop")
    (project.parent / "nowhere").symlink_to(tmp_path / "nowhere")
    inner = writer.main.with_suffix("") / "subagents"
    inner.mkdir(parents=True)
    os.mkfifo(inner / "agent-a1.jsonl")
    (inner / "loop").symlink_to("loop")
    scan = Scan(env)
    assert [found.id for found in scan.sessions] == [writer.session]
    assert scan.sessions[0].children == ()
    assert scan.problems == {}
    rows = stored_facts(env, None, warn=pytest.fail)
    assert [row.session_id for row in rows] == [writer.session]
    for name in IDS:
        assert list(session_transcripts(name, env)) == []
        assert complete_name(name[:5], [], env) == name[:5]
