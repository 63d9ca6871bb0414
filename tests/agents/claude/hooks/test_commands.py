"""The commands that the CLI runs, run by a shell: silent, at once and with exit code 0 while
nobody listens.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from unbraid.agents.claude.hooks import commands
from unbraid.agents.claude.hooks.commands import ASK, ORDERS, WAIT, command

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("curl") is None, reason="needs sh and curl"
)
WAKEABLE = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_ENTRYPOINT": "cli"}


def ran(what: str, folder: Path, **env: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        ["/bin/sh", "-c", command(what, folder)],
        input=b'{"session_id": "x"}',
        env={"PATH": "/usr/bin:/bin", **WAKEABLE, **env},
        capture_output=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("what", [ASK, ORDERS, WAIT])
def test_nobody_listens(tmp_path: Path, what: str) -> None:
    folder = tmp_path / 'it\'s a "folder" of $HOME'
    nothing = (0, b"", b"")
    assert ran(what, folder) == nothing, "no folder"
    folder.mkdir()
    assert ran(what, folder) == nothing, "no socket"
    (folder / "orders").touch()
    assert ran(what, folder) == nothing
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "hook.sock"))
    assert ran(what, folder) == nothing, "a socket that was left behind"
    assert ran(what, folder, http_proxy="http://127.0.0.1:9") == nothing


@pytest.mark.parametrize(
    "env",
    [
        {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
        {"AI_AGENT": ""},
        {"AI_AGENT": "claude-code_2-0-76_harness"},
        {"AI_AGENT": "claude-code_2-1-99_harness"},
    ],
)
def test_who_would_wait_for_it_is_not_kept(tmp_path: Path, env: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "hook.sock"))
        deaf.listen()  # and never answers
        assert ran(WAIT, tmp_path, **env) == (0, b"", b"")


def calls(deaf: socket.socket) -> int:
    """How often somebody has called since the last time."""
    deaf.setblocking(False)
    found = 0
    try:
        while True:
            deaf.accept()[0].close()
            found += 1
    except BlockingIOError:
        return found


@pytest.mark.parametrize("first", [ASK, ORDERS])
def test_one_that_hangs_is_called_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setattr(commands, "HOOK_SILENCE_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(commands, "HOOK_ANSWER_TIMEOUT_SECONDS", 1.0)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "hook.sock"))
        deaf.listen()  # and never answers
        for what in (first, ASK, ORDERS, WAIT):
            assert ran(what, tmp_path) == (0, b"", b"")
        assert calls(deaf) == 1
        (tmp_path / "stalled").unlink()
        ran(first, tmp_path)
        assert calls(deaf) == 1, "until whoever listens goes on"


def test_a_tool_call_is_reported_by_who_was_not_known_and_while_something_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "HOOK_ANSWER_TIMEOUT_SECONDS", 1.0)
    (tmp_path / "callers").mkdir()
    (tmp_path / "callers" / f"{os.getpid()}-").touch()
    (tmp_path / "callers" / f"{os.getpid()}-one").touch()
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "hook.sock"))
        deaf.listen()
        ran(ORDERS, tmp_path)
        ran(ORDERS, tmp_path, CLAUDE_CODE_SESSION_ID="one")
        assert calls(deaf) == 0
        ran(ORDERS, tmp_path, CLAUDE_CODE_SESSION_ID="two")
        assert calls(deaf) == 1
        (tmp_path / "stalled").unlink()
        (tmp_path / "orders").touch()
        ran(ORDERS, tmp_path, CLAUDE_CODE_SESSION_ID="one")
        assert calls(deaf) == 1
