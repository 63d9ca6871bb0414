"""Every face says the same of a stored session, before and after it is a run of the log.

`python -m tests.faces FOLDER…` asks the same of any other recordings.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from tests.faces.agreement import agrees, asked, asked_events, asked_json
from tests.faces.folded_events import Tokens, plus, spent, tokens_of
from tests.faces.stored import home_of
from tests.record.watch.writing import HOURS_AGO, Writer, append
from unbraid.log import opened_log
from unbraid.read.record import milliseconds
from unbraid.record.sessions.importer import open_or_import
from unbraid.record.sessions.run_list import list_sessions

# One of each layout, and each with something that the others do not have.
NAMES = (
    "api-error.plain.2.1.197",
    "api-retry.partial.2.0.76",
    "background.plain.2.1.325",
    "compressed.exec.codex-0.166.0",
    "child-fails.app-server.codex-0.166.0",
    "nested.run.opencode",
    "fan-same-opening.run.kilo-7.7.9",
    "fan-same-opening.stdin.1.0.128",
    "resumed.stdin.2.1.325",
    "workflow.plain.2.1.325",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_face_says_the_same_of_a_stored_session(name: str, tmp_path: Path) -> None:
    env = home_of(RECORDINGS / name, tmp_path)
    assert env is not None
    agrees(env, RECORDINGS / name)


def test_a_session_is_as_new_as_its_last_message(tmp_path: Path) -> None:
    """Its own row may have been written before that."""
    name = "nested.run.opencode"
    env = home_of(RECORDINGS / name, tmp_path)
    assert env is not None
    (path,) = tmp_path.rglob("opencode.db")
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE session SET time_updated = time_created - 5000")
        database.commit()
    agrees(env, RECORDINGS / name)


@pytest.mark.parametrize(
    "name", ["fan-four.partial.2.0.76", "child-fails.app-server.codex-0.166.0"]
)
async def test_files_of_the_future_are_not_being_written(name: str, tmp_path: Path) -> None:
    """They are another machine's, or the clock was put back."""
    env = home_of(RECORDINGS / name, tmp_path)
    assert env is not None
    written_at(tmp_path, time.time() + 7200)
    async with opened_log("memory:") as log:
        (row,) = list_sessions(env, None, warn=pytest.fail)
        assert row.status == "done"
        found = await open_or_import(log, row.run, env)
        assert (found.status, found.over) == ("done", True)


def written_at(folder: Path, seconds: float) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (seconds, seconds))


SUMMARY = '{"type":"summary","summary":"Something earlier","leafUuid":"u"}\n'
SNAPSHOT = '{"type":"file-history-snapshot","messageId":"u","snapshot":{}}\n'
FOREIGN = '{"type":"last-prompt","lastPrompt":"Hi","sessionId":"another-session"}\n'


@pytest.mark.parametrize("notes", [SUMMARY * 60, SNAPSHOT, FOREIGN], ids=["many", "one", "foreign"])
@pytest.mark.parametrize("name", ["fan-four.partial.2.0.76", "background.plain.2.1.325"])
def test_notes_before_a_session_change_nothing(name: str, notes: str, tmp_path: Path) -> None:
    env = home_of(RECORDINGS / name, tmp_path)
    assert env is not None
    (main,) = (
        path
        for path in tmp_path.glob("claude/projects/*/*.jsonl")
        if not path.name.startswith("agent-")
    )
    (before,) = asked_json(env, "ps", "--all")
    with_notes(main, notes)
    (row,) = asked_json(env, "ps", "--all")
    assert row == before
    agrees(env, RECORDINGS / name)
    of_the_file = asked_events(env, "cat", str(main))
    assert [of_the_file[0]["session_id"], of_the_file[0]["ts"]] == [row["run"], row["started"]]


def with_notes(path: Path, notes: str) -> None:
    status = path.stat()
    path.write_text(notes + path.read_text())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_session_of_which_nobody_asked_anything(tmp_path: Path) -> None:
    name = "0d27f51f-0d03-49b0-a188-ea8d8faf827a"
    folder = tmp_path / "recording"
    main = folder / "projects" / "-app" / f"{name}.jsonl"
    main.parent.mkdir(parents=True)
    main.write_text(
        f'{{"type":"mode","mode":"normal","sessionId":"{name}"}}\n'
        '{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":'
        '"<command-name>/clear</command-name>"},"uuid":"u","timestamp":"2026-11-17T03:17:19.717Z",'
        f'"cwd":"/app","sessionId":"{name}","version":"2.1.325"}}\n'
    )
    env = home_of(folder, tmp_path / "home")
    assert env is not None
    agrees(env, folder)
    assert [row["status"] for row in asked_json(env, "ps", "--all")] == ["done"]


def test_a_logged_session_that_went_on_is_listed_as_it_is_now(tmp_path: Path) -> None:
    """Nobody follows it: what stands in its files counts all the same."""
    env = home_of(RECORDINGS / "nested.plain-fwd.2.1.325", tmp_path)
    assert env is not None
    (row,) = asked_json(env, "ps", "--all")
    asked(env, "import", row["run"])
    (before,) = asked_json(env, "ps", "--all")

    writer = Writer(tmp_path / "claude", row["run"], timestamp=HOURS_AGO)
    (writer.main,) = tmp_path.glob(f"claude/projects/*/{row['run']}.jsonl")
    written = writer.main.stat().st_mtime
    append(writer.main, writer.prompt("Are you there?"))
    os.utime(writer.main, (written, written))
    later, first = asked_json(env, "ps", "--all")
    assert (first, later["run"]) == (before, f"{row['run']}.2")
    assert (later["status"], spent(later["usage"])[0]) == ("orphaned", (0, 0, 0, 0))
    assert (later["started"], later["updated"]) == (milliseconds(writer.timestamp),) * 2
    asked_again = asked_json(env, "ps", "--all")
    assert asked_again == [later, first]

    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    model = dict(zip(names, plus(tokens_of(first["usage"]), (1, 1, 0, 0)), strict=True))
    account = {"type": "cost-state", "sessionId": row["run"], "totalCostUSD": 0.5}
    of_all_runs = json.dumps(account | {"modelUsage": {"m": model}}, separators=(",", ":"))
    whole = writer.text("Yes.").replace(b'"model":', b'"stop_reason":"end_turn","model":')
    append(writer.main, whole + of_all_runs.encode() + b"\n")
    os.utime(writer.main, (written, written))
    answer, *others = asked_json(env, "ps", "--all")
    assert others == [later, first]
    assert (answer["run"], answer["status"]) == (f"{row['run']}.3", "done")
    assert spent(answer["usage"])[0] == (1, 1, 0, 0)
    used: Tokens = (0, 0, 0, 0)
    for each in (answer, later, first):
        used = plus(used, spent(each["usage"])[0])
        assert asked_json(env, "tree", each["run"])["total"] == each["usage"]
    assert tokens_of(asked_json(env, "cost")["total"]) == used
