"""`unbraid import` and `unbraid prune`: what the log keeps."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.record.watch.writing import Writer, append
from unbraid.cli import main
from unbraid.log import SqliteLog
from unbraid.testing.sample_runs import sample_run

DAY_MS = 86_400_000


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path / "unbraid"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args, catch_exceptions=False)


def fill(home: Path) -> None:
    async def append_all() -> None:
        log = await SqliteLog.open(home / "unbraid" / "log.db")
        now = round(time.time() * 1000)
        for days in (100, 50, 1):
            await log.append(
                f"r{days}", sample_run(["many words " * 20_000], ts=now - days * DAY_MS)
            )
        await log.append("live", sample_run(["words"], ts=now)[:3])
        await log.close()

    asyncio.run(append_all())


def listed() -> dict[str, str]:
    return {each["run"]: each["title"] for each in json.loads(run("ps", "--all", "--json").stdout)}


def test_by_age_size_and_name(home: Path) -> None:
    fill(home)
    by_age = json.loads(run("prune", "--older-than", "90d", "--json").stdout)
    assert by_age["runs"] == ["r100"]
    assert by_age["bytes_after"] < by_age["bytes_before"]
    assert run("cat", "r100").exit_code != 0  # what was said is gone, the run stays in the list
    assert set(listed()) == {"r100", "r50", "r1", "live"}
    by_size = json.loads(run("prune", "--max-size", "700kB", "--json").stdout)
    assert by_size["runs"] == ["r50"]
    assert by_size["bytes_after"] <= 700_000
    assert "1 run deleted" in run("prune", "--run", "r1").stdout
    assert set(listed()) == {"r100", "r50", "live"}


def test_mistakes_take_nothing_away(home: Path) -> None:
    fill(home)
    for wrong in ((), ("--older-than", "5x"), ("--max-size", "-1"), ("--max-size", "nan")):
        assert run("prune", *wrong).exit_code == 2
    for name in ("nobody", "live", "r10"):
        wrong_name = run("prune", "--run", "r1", "--run", name)
        assert (wrong_name.exit_code, name in wrong_name.output) == (2, True)
    assert set(listed()) == {"r100", "r50", "r1", "live"}


def test_doctor_shows_where_the_log_is_and_how_large(home: Path) -> None:
    fill(home)
    found = run("doctor").stdout
    assert f"MB in {home / 'unbraid' / 'log.db'}" in found


def test_import_counts_what_it_does(home: Path) -> None:
    writer = Writer(home / "claude")
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    assert run("import").exit_code == 2
    assert run("import", "--all", writer.session).exit_code == 2
    assert run("import", "nobody").exit_code == 2
    assert run("import", writer.session[:8]).stdout == "1 imported, 0 already in the log\n"
    assert run("import", "--all").stdout == "0 imported, 1 already in the log\n"
    assert "one" in run("cat", writer.session).stdout


def test_a_dry_run_changes_nothing_and_says_what_will_happen(home: Path) -> None:
    fill(home)
    wanted = ("--older-than", "90d", "--max-size", "700kB")
    expected = json.loads(run("prune", *wanted, "--dry-run", "--json").stdout)
    said = run("prune", *wanted, "--dry-run").stdout
    assert "2 runs would be deleted; the log is" in said
    for name in ("r100", "r50", "r1"):
        assert run("cat", name).exit_code == 0
    found = json.loads(run("prune", *wanted, "--json").stdout)
    assert (expected["runs"], expected["bytes_before"]) == (found["runs"], found["bytes_before"])
    assert found["runs"] == ["r100", "r50"]
    assert (expected["dry_run"], found["dry_run"]) == (True, False)
    assert found["bytes_after"] == pytest.approx(expected["bytes_after"], rel=0.1)


def test_a_reader_beside_it_costs_no_run(home: Path) -> None:
    fill(home)
    with closing(sqlite3.connect(home / "unbraid" / "log.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        found = json.loads(run("prune", "--max-size", "700kB", "--json").stdout)
    assert found["runs"] == ["r100", "r50"]
    assert run("cat", "r1").exit_code == 0


def test_a_named_log_is_measured_itself(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(home)
    (home / "unbraid" / "log.db").rename(home / "other.db")
    monkeypatch.setenv("UNBRAID_LOG", str(home / "other.db"))
    found = json.loads(run("prune", "--max-size", "700kB", "--json").stdout)
    assert found["runs"] == ["r100", "r50"]
    assert found["bytes_after"] <= 700_000


def on_a_terminal(*args: str, typed: bytes) -> tuple[int, str]:
    """Returns the exit code of a command and all that a person saw of it, who types this when
    asked.
    """
    ours, theirs = pty.openpty()
    command = [str(Path(sys.executable).with_name("unbraid")), *args]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # the other end is closed
        while data := os.read(ours, 65536):
            seen += data
            if typed and b"[y/N]" in seen:
                os.write(ours, typed)
                typed = b""
    os.close(ours)
    return process.wait(60), seen.decode()


def test_a_person_is_asked(home: Path) -> None:
    fill(home)
    for answer in (b"n\n", b"\n", b"\x04"):
        code, seen = on_a_terminal("prune", "--older-than", "90d", typed=answer)
        assert code == 1
        assert "1 run would be deleted; the log is" in seen
        assert run("cat", "r100").exit_code == 0
    code, seen = on_a_terminal("prune", "--older-than", "90d", typed=b"y\n")
    assert (code, "1 run deleted" in seen) == (0, True)
    assert run("cat", "r100").exit_code != 0


def test_nobody_is_asked_who_has_said_yes_or_deletes_nothing(home: Path) -> None:
    fill(home)
    code, seen = on_a_terminal("prune", "--run", "r50", "--yes", typed=b"")
    assert (code, "?" in seen, "1 run deleted" in seen) == (0, False, True)
    code, seen = on_a_terminal("prune", "--older-than", "900d", typed=b"")
    assert (code, "?" in seen, "0 runs deleted" in seen) == (0, False, True)
    code, seen = on_a_terminal("prune", "--run", "r1", "--dry-run", typed=b"")
    assert (code, "?" in seen, "1 run would be deleted" in seen) == (0, False, True)
