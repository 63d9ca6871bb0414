"""The service that watches from login on, and what else a team installs."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.errors import UnbraidError
from unbraid.system.service import LaunchAgent, Service, SystemdUser, service_manager, watch_service

ROOT = Path(__file__).parents[2]
UNBRAID = Path(sys.executable).with_name("unbraid")
# Stands for the manager of a login, which a test has none of: it notes what it is asked to do.
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$2" in is-active) echo active;; esac
"""


def unbraid(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{home / 'bin'}:/usr/bin:/bin"
    env = {"HOME": str(home), "PATH": path, "CODEX_HOME": str(home / "a 100% $odd \\ place")}
    return subprocess.run([UNBRAID, "service", *words], env=env, capture_output=True, text=True)


def test_a_service_is_installed_shown_and_taken_away(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").write_text(SYSTEMCTL)
    (tmp_path / "bin" / "systemctl").chmod(0o755)
    unit = tmp_path / ".config" / "systemd" / "user" / "unbraid.service"
    assert "not installed" in unbraid(tmp_path, "status").stdout
    wrong = unbraid(tmp_path, "install", "--", "--nope")
    assert (wrong.returncode, unit.exists()) == (2, False)
    for words in ((), ("--", "--keep")):
        done = unbraid(tmp_path, "install", *words)
        assert done.returncode == 0, done.stderr
        assert "state: active" in done.stdout and str(unit) in done.stdout
    assert '"watch" "--keep"' in unit.read_text()
    assert "journalctl --user -u unbraid" in unbraid(tmp_path, "status").stdout
    _verified(unit, tmp_path)
    assert unbraid(tmp_path, "uninstall").returncode == 0
    assert not unit.exists()
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:3] == [
        "--user daemon-reload",
        "--user enable --now unbraid.service",
        "--user restart unbraid.service",
    ]
    assert asked[-1] == "--user disable --now unbraid.service"


def test_no_password_gets_into_a_file_that_others_read(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").write_text(SYSTEMCTL)
    (tmp_path / "bin" / "systemctl").chmod(0o755)
    for words in (("--log", "tls://server:s3cret@a,b/X"), ("--log=nats://server:s3c@ret@a",)):
        done = unbraid(tmp_path, "install", "--print", "--", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert "password_file" in done.stderr and "s3c" not in done.stderr
    good = "tls://server@a,b/X?password_file=/p"
    assert good in unbraid(tmp_path, "install", "--print", "--", "--log", good).stdout


def test_nothing_is_left_behind_where_no_manager_answers(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").write_text("#!/bin/sh\necho 'no bus' >&2; exit 1\n")
    (tmp_path / "bin" / "systemctl").chmod(0o755)
    done = unbraid(tmp_path, "install")
    assert done.returncode == 1 and "no bus" in done.stderr
    assert not list(tmp_path.rglob("*.service*"))


def test_what_is_installed_is_a_watch_that_starts(tmp_path: Path) -> None:
    """By the words of the property list, which are not quoted."""
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "UNBRAID_HOME": str(tmp_path / "u")}
    agent = LaunchAgent(env)
    written = plistlib.loads(agent.text(watch_service(["--port", "0"], env, [])))
    assert written["Label"] == "io.unbraid.watch", "what earlier versions have installed"
    with subprocess.Popen(
        written["ProgramArguments"],
        env=written["EnvironmentVariables"] | {"HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            assert any("http://127.0.0.1" in line for line in process.stderr)
        finally:
            process.terminate()
            process.communicate()
    assert process.returncode == 0


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=30))
def test_any_words_stay_what_they_are(word: str) -> None:
    """As systemd documents it: quoted, with specifiers and variables doubled."""
    text = SystemdUser({"HOME": "/h"}).text(Service((word,), {"NAME": word})).decode()
    lines = dict(line.partition("=")[::2] for line in text.split("\n") if "=" in line)
    for name, expected, marks in (
        ("ExecStart", word, ("%", "$")),
        ("Environment", f"NAME={word}", ("%",)),
    ):
        quoted = lines[name]
        assert quoted[0] == quoted[-1] == '"'
        plain = quoted[1:-1]
        for mark in marks:
            plain = plain.replace(2 * mark, mark)
        assert plain.replace('\\"', '"').replace("\\\\", "\\") == expected


def test_where_there_is_no_manager() -> None:
    with pytest.raises(UnbraidError, match="no service manager found"):
        service_manager({"PATH": "/nowhere"}, "linux")
    assert isinstance(service_manager({"HOME": "/h"}, "darwin"), LaunchAgent)


def test_shells_complete_commands_and_runs(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u"), "PATH": os.environ["PATH"]}
    for shell in ("bash", "zsh", "fish"):
        done = subprocess.run([UNBRAID, "completion", shell], env=env, capture_output=True)
        assert b"_UNBRAID_COMPLETE" in done.stdout and done.returncode == 0
    record = {"type": "system", "subtype": "init", "session_id": "abc-1", "cwd": "/w", "model": "x"}
    line = json.dumps(record) + "\n"
    subprocess.run([UNBRAID, "pipe"], env=env, input=line, text=True, check=True)

    def completed(words: str, count: int) -> list[str]:
        more = {"_UNBRAID_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
        return subprocess.check_output([UNBRAID], env=env | more, text=True).split()

    assert completed("unbraid comple", 1) == ["plain,completion"]
    assert completed("unbraid tail ab", 2) == ["plain,abc-1"]
    assert completed("unbraid tail b", 2) == []
    # In the shells themselves, those that are here.
    asked = {
        "bash": "COMP_WORDS=(unbraid comple); COMP_CWORD=1; _unbraid_completion unbraid comple;"
        ' echo "${COMPREPLY[@]}"',
        "fish": 'complete -C "unbraid comple"',
    }
    env["PATH"] = f"{Path(UNBRAID).parent}:{env['PATH']}"
    for shell in filter(shutil.which, asked):
        script = tmp_path / shell
        script.write_bytes(subprocess.check_output([UNBRAID, "completion", shell], env=env))
        words = [shell, "-c", f"source {script}; {asked[shell]}"]
        assert subprocess.check_output(words, env=env, text=True).split()[0] == "completion"


def test_the_files_of_a_team_server_are_in_order() -> None:
    """By the linters of their formats: Docker itself may not run here."""
    bin = Path(sys.executable).parent
    for words in (
        ["hadolint", "Dockerfile"],
        ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml"],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]
        + [str(path) for path in sorted((ROOT / ".github" / "workflows").iterdir())],
    ):
        done = subprocess.run(
            [bin / words[0], *words[1:]], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _verified(unit: Path, runtime: Path) -> None:
    """systemd's own opinion, where it is installed."""
    env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
    try:
        done = subprocess.run(
            ["systemd-analyze", "--user", "verify", unit], env=env, capture_output=True, text=True
        )
    except FileNotFoundError:
        return
    assert (done.returncode, done.stderr) == (0, "")
