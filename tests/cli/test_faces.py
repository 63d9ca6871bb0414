"""`ps`, `tail`, `doctor` and `watch` as a person starts them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.block_rows import FOLDERS
from unbraid.cli import main
from unbraid.log import open_log
from unbraid.record.sessions.importer import open_or_import
from unbraid.testing import load

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
SHAPE = {
    "run", "source", "session_id", "title", "cwd", "status", "waiting", "agents", "started",
    "updated", "usage", "machine", "user",
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in WITH_PROJECTS:
        shutil.copytree(folder / "projects", tmp_path / "claude/projects", dirs_exist_ok=True)
    (nested,) = [folder for folder in FOLDERS if folder.name == "nested.run.opencode"]
    shutil.copy(nested / "opencode.db", tmp_path / "opencode.db")
    an_hour_ago = time.time() - 3600  # a fresh checkout would pass for sessions that are live
    for path in tmp_path.rglob("*.jsonl"):
        os.utime(path, (an_hour_ago, an_hour_ago))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("OPENCODE_DB", str(tmp_path / "opencode.db"))
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path / "unbraid"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path


def start(*words: str) -> Result:
    result = CliRunner().invoke(main, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_ps_lists_every_session_in_the_shape_that_was_promised(home: Path) -> None:
    rows = json.loads(start("ps", "--all", "--json").stdout)
    assert len(rows) == len(WITH_PROJECTS) + 1
    assert all(set(row) == SHAPE for row in rows)
    assert {row["source"] for row in rows} == {"claude", "opencode"}
    assert all(row["cwd"] and row["agents"] >= 1 for row in rows)
    assert [row["updated"] for row in rows] == sorted((r["updated"] for r in rows), reverse=True)
    (opencode,) = [row for row in rows if row["source"] == "opencode"]
    (nested,) = [folder for folder in FOLDERS if folder.name == "nested.run.opencode"]
    assert opencode["agents"] == len({block["agent"] for block in load(nested).blocks})


def test_ps_shows_a_table_that_no_agent_can_draw_in(home: Path) -> None:
    (path, *_) = (home / "claude/projects").glob("*/*.jsonl")
    evil = path.with_name("00000000-0000-4000-8000-000000000000.jsonl")
    prompt = json.dumps({"type": "user", "message": {"content": "\x1b[2J[bold]gone"}})
    evil.write_text(prompt + "\n")
    shown = start("ps", "--all").stdout
    assert "RUN" in shown
    assert "\x1b" not in shown
    assert "\\x1b[2J[bold]gone" in shown


def test_a_run_of_the_log_is_listed_once(home: Path) -> None:
    (session, *_) = json.loads(start("ps", "--all", "--json").stdout)

    async def open_it() -> None:
        log = await open_log()
        try:
            await open_or_import(
                log,
                session["run"],
                {
                    "CLAUDE_CONFIG_DIR": str(home / "claude"),
                    "OPENCODE_DB": str(home / "opencode.db"),
                },
            )
        finally:
            await log.close()

    asyncio.run(open_it())
    rows = json.loads(start("ps", "--all", "--json").stdout)
    again = [row for row in rows if row["run"] == session["run"]]
    assert len(again) == 1
    assert again[0]["usage"]["output_tokens"] == session["usage"]["output_tokens"]
    assert again[0]["agents"] == session["agents"]
    assert again[0]["cwd"] == session["cwd"]
    assert again[0]["session_id"] == session["session_id"]


def test_tail_opens_a_session_and_ends_with_it(home: Path) -> None:
    (folder,) = [folder for folder in WITH_PROJECTS if folder.name == "nested.plain-fwd.2.1.325"]
    (main_file,) = folder.glob("projects/*/*.jsonl")
    for path in (home / "claude").rglob("*.jsonl"):
        os.utime(path, (1e9, 1e9))
    shown = start("tail", main_file.stem).stdout
    assert "leaf is done" in shown
    assert shown.count("leaf is done") <= 3
    events = [
        json.loads(line) for line in start("tail", main_file.stem, "--json").stdout.splitlines()
    ]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "done"
    assert start("tail", "nothing").exit_code == 2


def test_doctor_shows_what_it_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude = home / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho '2.0.76 (Claude Code)'\n")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", f"{claude.parent}:/usr/bin:/bin")
    found = {each["about"]: each for each in json.loads(start("doctor", "--json").stdout)}
    assert found["Claude Code"]["status"] == "warning"
    assert "2.1.211" in found["Claude Code"]["advice"]
    assert found["OpenCode"]["status"] == "missing"
    opencode = claude.with_name("opencode")
    for version, status in (("1.1.65", "warning"), ("1.2.27", "ok")):
        opencode.write_text(f"#!/bin/sh\necho {version}\n")
        opencode.chmod(0o755)
        (output,) = [
            each
            for each in json.loads(start("doctor", "--json").stdout)
            if each["about"] == "OpenCode"
        ]
        assert output["status"] == status
    assert f"{len(WITH_PROJECTS)} sessions" in found["transcripts"]["found"]
    assert found["log"]["status"] == "ok"
    assert found["database"]["found"].startswith("1 session in ")
    assert "✔ log" in start("doctor").stdout


def test_a_log_that_cannot_be_read_does_not_hide_the_rest(home: Path) -> None:
    (home / "unbraid").mkdir()
    (home / "unbraid" / "log.db").write_bytes(b"not a database" * 100)
    result = start("ps", "--all", "--json")
    assert len(json.loads(result.stdout)) == len(WITH_PROJECTS) + 1
    assert "listing only sessions outside of it" in result.stderr
    log = [each for each in json.loads(start("doctor", "--json").stdout) if each["about"] == "log"]
    assert log[0]["status"] == "warning"


def test_a_log_of_a_newer_version_is_reported_and_hides_no_session(home: Path) -> None:
    (folder,) = [folder for folder in WITH_PROJECTS if folder.name == "nested.plain-fwd.2.1.325"]
    (main_file,) = folder.glob("projects/*/*.jsonl")
    assert start("tail", main_file.stem).exit_code == 0
    with closing(sqlite3.connect(home / "unbraid" / "log.db")) as log:
        log.execute("PRAGMA user_version = 99")
    for command in (["tail", main_file.stem], ["attach", main_file.stem], ["search", "leaf"]):
        result = start(*command)
        assert result.exit_code == 4
        assert "newer unbraid" in result.stderr
    for path in (home / "claude").rglob(f"{main_file.stem}.jsonl"):
        os.utime(path)  # as if it had just spoken: its end would be asked of the log
    assert "leaf" in start("tree", main_file.stem).stdout
    assert "leaf is done" in start("cat", main_file.stem).stdout
