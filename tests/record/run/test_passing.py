"""Whatever we do, the agent runs as it would run without us."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.access import SECRET
from tests.forked import ran
from tests.record.run.agents import UNBRAID, logged, play
from unbraid.log import SqliteLog

GO = "[[main]] Go."


def environment(home: Path) -> dict[str, str]:
    """The environment of commands that know the servers of the tests."""
    ours = {"HOME": str(home), "UNBRAID_HOME": str(home / "unbraid"), "UNBRAID_TOKEN": SECRET}
    return {**os.environ, **ours}


async def start(home: Path, *argv: str, **env: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        UNBRAID, *argv,
        env=environment(home) | env,
        stdin=pipe, stdout=pipe, stderr=pipe,
    )  # fmt: skip


async def finished(home: Path, *argv: str, **env: str) -> tuple[int, bytes, bytes]:
    """A command that ran to its end: its exit code, and what it printed."""
    done = await asyncio.to_thread(ran, *argv, env=environment(home) | env)
    out, err = (printed.encode(errors="surrogateescape") for printed in (done.stdout, done.stderr))
    return done.returncode, out, err


PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("told to stop", flush=True), sys.exit(7)))
print("ready", flush=True)
time.sleep(60)
"""


async def test_signals_are_passed_on_and_the_exit_code_is_ours(tmp_path: Path) -> None:
    process = await start(tmp_path, "run", "--", sys.executable, "-c", PROGRAM)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    assert await process.stdout.readline() == b"told to stop\n"
    assert await process.wait() == 7


async def test_a_death_by_signal_is_reported_as_a_shell_would(tmp_path: Path) -> None:
    process = await start(tmp_path, "run", "--", "sh", "-c", "kill -9 $$")
    assert await process.wait() == 137


async def test_stdin_stdout_and_stderr_are_its_own(tmp_path: Path) -> None:
    process = await start(tmp_path, "run", "--", "sh", "-c", "cat; echo no newline >&2; printf x")
    out, err = await process.communicate(b"\0\xff\n" * 100_000 + b"rest")
    assert out == b"\0\xff\n" * 100_000 + b"restx"
    assert err == b"no newline\n"
    assert process.returncode == 0


def evil(folder: Path) -> list[Path]:
    """What was made where it should not be."""
    return list(folder.rglob("*evil*"))


@pytest.mark.parametrize("key", ["session_id", "sessionID"])
async def test_a_session_cannot_name_a_file_elsewhere(key: str, tmp_path: Path) -> None:
    """What an agent prints as its session is no path, and no reason to fail."""
    block = {"type": "text", "text": "hi"}
    message = {"id": "m", "role": "assistant", "content": [block]}
    line = json.dumps({"type": "assistant", key: "../../evil x", "message": message})
    process = await start(tmp_path, "run", "--", "sh", "-c", 'printf "%s\\n" "$0"; exit 3', line)
    assert await process.communicate() == (f"{line}\n".encode(), b"")
    assert process.returncode == 3
    assert not evil(tmp_path)
    named = await start(tmp_path, "run", "--", "claude", "--resume", "../../evil x")
    await named.communicate()
    assert not evil(tmp_path)
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    assert len(await log.runs()) == 1
    await log.close()


async def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    process = await start(tmp_path, "run", "--", "no-such-agent")
    _, err = await process.communicate()
    assert err == b"unbraid: no-such-agent: No such file or directory\n"
    assert process.returncode == 3


@pytest.mark.parametrize("broken", ["folder", "file"])
async def test_without_a_log_the_agent_goes_on(tmp_path: Path, broken: str) -> None:
    home = tmp_path / "unbraid"
    if broken == "folder":
        home.write_text("not a folder")
    else:
        home.mkdir(0o700)
        (home / "log.db").write_bytes(b"not a database" * 1000)
    line = '{"type":"result","session_id":"s","subtype":"success","result":"x"}'
    process = await start(tmp_path, "run", "--", "sh", "-c", f"echo '{line}'; exit 5")
    out, err = await process.communicate()
    assert out.decode() == line + "\n"
    assert err.startswith(b"unbraid: this run is not logged: ")
    assert err.count(b"unbraid:") == 1
    assert process.returncode == 5


async def test_a_pipe_is_passed_on_unchanged(tmp_path: Path) -> None:
    process = await start(tmp_path, "pipe")
    out, err = await process.communicate(b'{"type":"result"}\n\0\xff no newline')
    assert out == b'{"type":"result"}\n\0\xff no newline'
    assert err == b""


INTERRUPTED = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: (print('{"type":"last words"}', flush=True), sys.exit(1)))
print('{"type":"ready"}', flush=True)
time.sleep(60)
"""


async def test_a_ctrl_c_to_a_pipeline_is_the_agents(tmp_path: Path) -> None:
    """A terminal sends it to all of them; what the agent still says has to find a reader."""
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", f'trap : INT; "$0" -c "$1" | {UNBRAID} pipe', sys.executable, INTERRUPTED,
        env=os.environ | {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert await process.stdout.readline() == b'{"type":"ready"}\n'
    os.killpg(process.pid, signal.SIGINT)
    assert await asyncio.wait_for(process.communicate(), 60) == (b'{"type":"last words"}\n', b"")


async def test_a_reader_that_leaves_ends_the_agent_as_it_would(tmp_path: Path) -> None:
    command = f"{UNBRAID} run -- yes | head -1"
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", command,
        env=os.environ | {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert out == b"y\n"


@pytest.mark.cli
@pytest.mark.parametrize(
    ("version", "name"),
    [
        *(("1.0.128", name) for name in ("api-error", "unicode")),
        *(("2.1.325", name) for name in ("single", "api-error", "text-json", "unicode")),
    ],
)
async def test_what_is_seen_is_what_the_cli_would_have_printed(
    version: str, name: str, tmp_path: Path
) -> None:
    plain = await play(version, name, tmp_path / "a", ["-p", GO], prefix=())
    ours = await play(version, name, tmp_path / "b", ["-p", GO])
    assert ours.stdout == plain.stdout
    assert ours.exit == plain.exit
    assert len(await logged(tmp_path / "b")) == 1


@pytest.mark.parametrize("command", [["pipe"], ["run", "--", "seq", "200000"]], ids=" ".join)
async def test_standard_files_that_do_not_wait_lose_nothing(
    command: list[str], tmp_path: Path
) -> None:
    """A Node that has a pipe in common with us makes it so, for both."""
    given, printed = os.pipe(), os.pipe()
    os.set_blocking(given[0], False)
    os.set_blocking(printed[1], False)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(printed[1], fcntl.F_SETPIPE_SZ, 4096)  # so that it is full most of the time
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *command,
        env=os.environ | {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "unbraid")},
        stdin=given[0], stdout=printed[1], stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    os.close(given[0])
    os.close(printed[1])
    data = b"".join(b"%d\n" % (number + 1) for number in range(200_000))

    def write() -> None:
        with os.fdopen(given[1], "wb") as file:
            file.write(data if command == ["pipe"] else b"")

    def read() -> bytes:
        with os.fdopen(printed[0], "rb") as file:
            return file.read()

    reading, writing = asyncio.to_thread(read), asyncio.to_thread(write)
    out, _, (_, err) = await asyncio.gather(reading, writing, process.communicate())
    assert (out, err) == (data, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("command", "code"),
    [(["pipe"], 1), (["run", "--", "echo", "{}"], 0), (["doctor"], 1), (["--help"], 1)],
)
def test_a_full_disk_is_reported_in_a_sentence(
    command: list[str], code: int, tmp_path: Path
) -> None:
    env = os.environ | {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "unbraid")}
    env.pop("PYTHONUNBUFFERED", None)  # with it, nothing is left to be written at the end
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [UNBRAID, *command], input=b"{}\n", stdout=full, stderr=subprocess.PIPE, env=env
        )
    assert done.stderr.decode().count("\n") == 1
    assert done.stderr.decode().endswith("cannot be written: No space left on device\n")
    assert done.returncode == code
