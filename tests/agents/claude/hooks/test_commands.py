"""The commands that the CLI runs, run by a shell: silent, at once and with exit code 0 while
nobody listens.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from unbraid.agents.claude.hooks.commands import ASK, MAIL, WAIT, command

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


@pytest.mark.parametrize("what", [ASK, MAIL, WAIT])
def test_nobody_listens(tmp_path: Path, what: str) -> None:
    folder = tmp_path / 'it\'s a "folder" of $HOME'
    nothing = (0, b"", b"")
    assert ran(what, folder) == nothing, "no folder"
    folder.mkdir()
    assert ran(what, folder) == nothing, "no socket"
    (folder / "mail").touch()
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
