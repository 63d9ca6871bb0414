"""Files that no decoder takes, where agents keep theirs: every command goes on with the others."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from unbraid.cli import main

SESSION = "0b7b1c9e-6a54-4c39-9e0f-4f5f4ad9a111"
DEEP = b"[" * 100_000 + b"]" * 100_000
ODD = {
    "nested too deep": b'{"type":"odd","agentType":"a","x":' + DEEP + b"}",
    "no UTF-8": b'{"type":"odd","agentType":"\xff\xfe"}',
    "a number that fits nowhere": b'{"type":"odd","agentType":"a","x":1e999}',
    "half a pair": b'{"type":"odd","agentType":"\\ud800"}',
    "no object": b"null",
}
COMMANDS = [["ps", "--all"], ["search", "needle"], ["cat", SESSION], ["tree", SESSION], ["doctor"]]


def line(text: str, agent: str = "") -> bytes:
    about = {"sessionId": SESSION, "isSidechain": bool(agent), "uuid": f"u{text}", "cwd": "/x"}
    message = {"id": f"m{text}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    dated = {"timestamp": "2026-01-01T00:00:00.000Z", "version": "2.1.325"}
    record = {"type": "assistant", "message": message, **about, **dated}
    return json.dumps(record | ({"agentId": agent} if agent else {})).encode() + b"\n"


def claude(config: Path, odd: bytes) -> None:
    children = config / "projects" / "-x" / SESSION / "subagents"
    children.mkdir(parents=True)
    main_file = children.parent.with_suffix(".jsonl")
    main_file.write_bytes(line("a needle") + odd + b"\n" + line("another needle"))
    (children / "agent-abc.jsonl").write_bytes(line("the third needle", "abc") + odd + b"\n")
    (children / "agent-abc.meta.json").write_bytes(odd)
    (config / "sessions").mkdir()
    (config / "sessions" / "1.json").write_bytes(odd)


def opencode(path: Path, odd: bytes) -> None:
    info = json.dumps({"role": "assistant", "time": {"created": 1}})
    part = json.dumps({"type": "text", "text": "a needle", "time": {"start": 1, "end": 2}})
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE session (id, parent_id, title, directory, version, time_created)")
        db.execute("CREATE TABLE message (id, session_id, data)")
        db.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        db.execute("INSERT INTO session VALUES ('ses_a', NULL, 't', '/x', '1', 1)")
        db.execute("INSERT INTO message VALUES ('msg_a', 'ses_a', ?)", [info])
        for number, data in enumerate([part, odd.decode("utf-8", "replace"), odd]):
            row = (f"prt_{number}", data)
            db.execute("INSERT INTO part VALUES (?, 'msg_a', 'ses_a', 1, ?)", row)
        db.commit()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
def test_what_is_odd_costs_only_itself(odd: bytes, command: list[str], tmp_path: Path) -> None:
    claude(tmp_path / "claude", odd)
    opencode(tmp_path / "opencode.db", odd)
    env = {
        "HOME": str(tmp_path),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "OPENCODE_DB": str(tmp_path / "opencode.db"),
    }
    for words in [command, *([["cat", "ses_a"]] if command[0] == "cat" else [])]:
        done = CliRunner(env=env).invoke(main, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        shown = done.stdout.encode()  # what cannot be encoded cannot be shown
        if command[0] == "search":
            assert shown.count(b"needle") == 4
        elif words == ["cat", SESSION]:
            assert shown.count(b"another needle") == 1
        elif command[0] == "cat":
            assert shown.count(b"a needle") == 1


def test_a_number_that_fits_nowhere_hides_no_words(tmp_path: Path) -> None:
    odd = line("an odd needle").rstrip()[:-1] + b',"x":1e999}'
    claude(tmp_path / "claude", odd)
    said = (
        b'{"type":"text","text":"an odd needle","time":{"start":1,"end":2},"metadata":{"x":1e999}}'
    )
    opencode(tmp_path / "opencode.db", said)
    env = {
        "HOME": str(tmp_path),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "OPENCODE_DB": str(tmp_path / "opencode.db"),
    }
    for words in (["search", "odd"], ["cat", SESSION], ["cat", "ses_a"]):
        done = CliRunner(env=env).invoke(main, words, catch_exceptions=False)
        assert "an odd needle" in done.stdout, words
