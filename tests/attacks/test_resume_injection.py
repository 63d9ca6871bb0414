"""Attack: a run names a session, an agent or a folder so that resuming it runs something else.

Whoever may send runs to a log writes their `session_id`, `cwd` and agents' ids. `unbraid attach
--resume` turned them into a command: `--mcp-config={…}` as an id made Claude Code start a program.
Now an id must have the form that the kind's ids have, and the session must be stored on this
machine, whose own files name the folder.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.launch.agents import UNBRAID
from tests.watch.writing import SESSION, Writer, append
from unbraid import events as e
from unbraid.log import open_log

PLACE: dict[str, Any] = {"ts": 1, "depth": 0, "agent": "main"}
EVIL = '--mcp-config={"mcpServers":{"x":{"command":"touch","args":["owned"]}}}'

Attach = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def attach(tmp_path: Path) -> Attach:
    """`unbraid attach` with programs on PATH that say how they were started."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("claude", "opencode"):
        (programs / name).write_text(f'#!/bin/sh\necho STARTED {name} in "$PWD" with "$@"\n')
        (programs / name).chmod(0o755)
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "UNBRAID_HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [UNBRAID, "attach", *words]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    return run


async def sent(
    home: Path, session: str, cwd: str, source: str = "claude", agent_id: str | None = None
) -> None:
    """A run as another machine might have sent it."""
    log = await open_log(home / "home" / "log.db")
    first = e.RequestReceived(
        seq=1, stream_id=0, source=source, session_id=session, cwd=cwd, **PLACE
    )
    root = e.StreamStart(seq=2, stream_id=0, parent_stream_id=None, **PLACE)
    child = e.StreamStart(
        seq=3, stream_id=1, parent_stream_id=0, agent_id=agent_id, **PLACE | {"depth": 1}
    )
    await log.append("evil", [first, root, child])
    await log.close()


@pytest.mark.parametrize("source", ["claude", "opencode"])
@pytest.mark.parametrize("session", [EVIL, "-c", "--", "../../x", "a b", "$(id)", "", "*"])
async def test_an_id_that_is_none_starts_nothing(
    source: str, session: str, attach: Attach, tmp_path: Path
) -> None:
    await sent(tmp_path, session, "/", source)
    for how in ("--resume", "--print"):
        done = attach("evil", how)
        assert done.returncode != 0
        assert "STARTED" not in done.stdout
        assert EVIL not in done.stdout
        assert "cannot be resumed" in done.stderr or "not stored on this machine" in done.stderr


async def test_a_session_that_is_not_stored_here_is_not_resumed(
    attach: Attach, tmp_path: Path
) -> None:
    await sent(tmp_path, SESSION, "/")
    done = attach("evil", "--resume")
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert "not stored on this machine" in done.stderr


async def test_the_folder_is_that_of_the_stored_session(attach: Attach, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    folder = tmp_path / "mine"
    folder.mkdir()
    line = writer.prompt().replace(b'"/work"', f'"{folder}"'.encode())
    assert str(folder).encode() in line
    append(writer.main, line + writer.text("Hello."))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    await sent(tmp_path, SESSION, str(theirs))
    done = attach("evil", "--resume")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"STARTED claude in {folder} with --resume {SESSION}"


@pytest.mark.parametrize("agent", ["*", "../../../x", "-x", "a/b", "a\nb", "x" * 100])
async def test_an_agents_id_cannot_name_another_file(
    agent: str, attach: Attach, tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt() + writer.text("Hello."))
    await sent(tmp_path, SESSION, "/", agent_id=agent)
    done = attach("evil/1", "--resume")
    assert done.returncode != 0
    assert "STARTED" not in done.stdout
    assert "cannot be resumed" in done.stderr
