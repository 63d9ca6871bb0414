"""`unbraid export`: a run, or a stored session, as one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.block_rows import RECORDINGS
from tests.redact.secret import KEY, bits_in
from tests.redact.test_lines import cut
from tests.send.export.saved import events_in
from unbraid.cli import main
from unbraid.log import SqliteLog
from unbraid.testing.sample_runs import sample_run

FORMS = ("--html", "--markdown", "--json")
RECORDED = RECORDINGS / "nested.plain-fwd.2.1.325"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path / "unbraid"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(RECORDED))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["export", *args], catch_exceptions=False)


def shown(file: str) -> str:
    """All that a file shows, also what a page has packed in it; without the page's own script."""
    if "<!doctype" not in file:
        return file
    return file.split('<script type="module">')[0] + events_in(file)


def write(home: Path, words: list[str]) -> None:
    import asyncio

    async def append() -> None:
        log = await SqliteLog.open(home / "unbraid" / "log.db")
        await log.append("r", sample_run(words))
        await log.close()

    asyncio.run(append())


def test_a_run_of_the_log_in_every_format(home: Path) -> None:
    write(home, ["Some ", "words."])
    for form in FORMS:
        result = run("r", form)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "words" in result.stdout
        assert "0.5" in result.stdout.replace("\\", "")
    for name, begins in (("a.html", "<!doctype"), ("a.md", "# "), ("a.json", '{"run":"r"')):
        assert run("r/0", "-o", str(home / name)).exit_code == 0
        assert (home / name).read_text().startswith(begins)


def test_no_secret_is_exported_with_redact(home: Path) -> None:
    # In small parts, as an agent prints it: no event has it in one piece.
    write(home, cut(f"I use {KEY}, and it works.", list(range(0, 100, 3))))
    for form in FORMS:
        assert KEY in run("r", form).stdout.replace("\\", "")
        redacted = run("r", form, "--redact").stdout.replace("\\", "")
        assert "and it works" in redacted
        assert not bits_in(shown(redacted))


def test_no_secret_of_a_file_is_exported_with_redact(home: Path) -> None:
    """Wherever an agent has it: in its folder, its task, what it says, gives and gets."""
    data = (RECORDED / "stdout.ndjson").read_text()
    for field in ("cwd", "text", "prompt", "description", "content", "result"):
        data = data.replace(f'"{field}":"', f'"{field}":"{KEY} ')
    (home / "printed.ndjson").write_text(data)
    for form in FORMS:
        assert bits_in(run(str(home / "printed.ndjson"), form).stdout)
        redacted = run(str(home / "printed.ndjson"), form, "--redact")
        assert redacted.exit_code == 0
        assert not bits_in(shown(redacted.stdout))


def test_a_stored_session_is_exported_and_not_imported(home: Path) -> None:
    session = next((RECORDED / "projects").rglob("*-*-*-*-*.jsonl")).stem
    export = json.loads(run(session[:8], "--json").stdout)
    assert export["run"] == session
    assert [stream["depth"] for stream in export["streams"]] == [0, 1, 2]
    assert not (home / "unbraid" / "log.db").exists()


def test_what_is_not_there_is_an_error(home: Path) -> None:
    write(home, ["words"])
    assert run("nobody").exit_code == 3
    assert "no stream 7" in run("r/7").stderr
    assert run("r", "-o", str(home / "no" / "folder.md")).exit_code == 3
