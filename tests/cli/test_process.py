"""The command as it really runs: a process, a pipe, an exit code."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS, stream_of
from tests.forked import ran
from unbraid import __version__

STREAM = stream_of(RECORDINGS / "nested.plain-fwd.2.1.325")
LINES = [json.loads(line) for line in STREAM.read_bytes().splitlines()]
COMMAND = [str(Path(sys.executable).with_name("unbraid"))]


def run(*args: str, given: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *args],
        input=given,
        capture_output=True,
        env=os.environ | env,
        timeout=60,
        check=False,
    )


def on_a_terminal(*args: str, **env: str) -> bytes:
    """What a person sees."""
    ours, theirs = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | env
    process = subprocess.Popen([*COMMAND, *args], stdout=theirs, stdin=theirs, env=env)
    os.close(theirs)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        seen += data
    os.close(ours)
    assert process.wait(60) == 0
    return seen


def test_a_file_and_standard_input_give_the_same() -> None:
    by_name, by_pipe = run("cat", str(STREAM)), run("cat", "-", given=STREAM.read_bytes())
    assert (by_name.returncode, by_name.stderr) == (0, b"")
    assert by_name.stdout == by_pipe.stdout != b""


@pytest.mark.parametrize("options", [["cat"], ["cat", "--json"], ["cat", "--relay"]])
def test_a_reader_that_has_seen_enough_is_no_error(options: list[str], tmp_path: Path) -> None:
    # Far more than a pipe holds, so that the writer is surely still writing when it breaks.
    long = tmp_path / "long"
    line = b'{"type":"error","error":"%s"}\n' % (b"x" * 200)
    long.write_bytes(STREAM.read_bytes() + line * 5000)
    process = subprocess.Popen(
        [*COMMAND, *options, str(long)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) in (0, 1, 141)


def test_a_terminal_gets_colours_unless_asked_otherwise() -> None:
    assert b"\x1b[" in on_a_terminal("cat", str(STREAM), TERM="xterm")
    assert b"\x1b[" not in on_a_terminal("cat", str(STREAM), TERM="xterm", NO_COLOR="1")
    assert b"\x1b" not in run("cat", str(STREAM)).stdout


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_it_prints_in_any_locale(locale: str) -> None:
    done = run("cat", str(STREAM), LC_ALL=locale, PYTHONIOENCODING="")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "▶".encode() in done.stdout


def test_an_empty_pipe_is_said_to_be_empty() -> None:
    done = run("cat", "-")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr == b"unbraid: standard input: is empty\n"


def test_an_unknown_command_is_the_callers_mistake() -> None:
    done = run("frobnicate")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    "words",
    [
        ["watch", "--port", "65536"],
        ["run", "--serve", "--port", "-1", "--", "true"],
        ["serve", "--port", "65536"],
        ["serve", "--keep-bytes", "-1"],
        ["serve", "--keep-days", "-1"],
        ["serve", "--keep-days", "nan"],
        ["serve", "--keep-days", "inf"],
        ["demo", "--speed", "nan"],
        ["run", "--linger", "inf", "--", "true"],
        ["tail", "--since", str(2**63)],
    ],
    ids=" ".join,
)
def test_a_number_that_cannot_be_is_the_callers_mistake(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Invalid value for '--" in done.stderr


NOT_UTF_8 = os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["cat", NOT_UTF_8], 3),
        (["tree", NOT_UTF_8], 3),
        (["tail", NOT_UTF_8], 2),
        (["attach", NOT_UTF_8], 2),
        (["token", "add", NOT_UTF_8], 2),
        (["token", "add", "\x1b[31m"], 2),
        (["attach", "run/²"], 2),
        (["attach", "run/" + "9" * 5000], 2),
        (["stop", "run/²"], 2),
        (["watch", "--opencode", "nope"], 2),
        (["watch", "--opencode", "http://["], 2),
    ],
    ids=lambda words: str(words)[:40],
)
def test_a_name_that_cannot_be_is_reported_in_a_sentence(
    words: list[str], code: int, tmp_path: Path
) -> None:
    home = {"UNBRAID_HOME": str(tmp_path), "HOME": str(tmp_path)}
    assert ran("pipe", given=STREAM, env=os.environ | home).returncode == 0
    done = run(*words, given=b"", **home)
    assert b"Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (code, b"")


def test_a_stream_that_a_run_has_not_is_the_callers_mistake(tmp_path: Path) -> None:
    home = str(tmp_path)
    run("pipe", given=STREAM.read_bytes(), UNBRAID_HOME=home, HOME=home)
    (session,) = {line["session_id"] for line in LINES if "session_id" in line}
    done = run("attach", f"{session}/99", UNBRAID_HOME=home, HOME=home)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has no stream 99" in done.stderr
    assert run("attach", f"{session}/1", UNBRAID_HOME=home, HOME=home).stdout


def test_the_version_is_the_packages() -> None:
    done = run("--version")
    assert done.stdout.decode().strip().endswith(__version__)


@pytest.mark.parametrize("module", ["rich", "sqlite3", "asyncio", "starlette", "unbraid.read"])
def test_the_version_costs_no_heavy_import(module: str) -> None:
    code = "import sys, unbraid.cli; print([m for m in sys.modules if m == sys.argv[1]])"
    done = subprocess.run(
        [sys.executable, "-c", code, module], capture_output=True, timeout=60, check=True
    )
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    "command", ["pipe", "ps", "ps --json", "doctor", f"cat {STREAM}", f"tree {STREAM}"]
)
def test_standard_files_may_be_closed(command: str, closed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {COMMAND[0]} {command} {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=os.environ | {"UNBRAID_HOME": str(tmp_path), "HOME": str(tmp_path)},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_an_agent_prints_goes_into_no_file_of_ours(tmp_path: Path) -> None:
    """The number of a closed file would be given to the next one that is opened."""
    words = "printed by an agent"
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {COMMAND[0]} run -- echo {words} <&- >&-"],
        capture_output=True,
        env=os.environ | {"UNBRAID_HOME": str(tmp_path / "home")},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(words.encode() in data for data in files)


def test_a_machine_without_any_session_is_reported_so(tmp_path: Path) -> None:
    done = run("ps", "--all", HOME=str(tmp_path), XDG_DATA_HOME="", UNBRAID_HOME=str(tmp_path))
    assert done.returncode == 0
    assert b"unbraid doctor" in done.stdout
