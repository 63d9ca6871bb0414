"""Attack: a run names a session, an agent or a folder so that resuming it runs something else.

Whoever may send runs to a log writes their `session_id`, `cwd` and agents' ids. `unbraid attach
--resume` turned them into a command: `--mcp-config={…}` as an id made Claude Code start a program.
Now an id must have the form that the kind's ids have, and the session must be stored on this
machine, whose own files name the folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.forked import Forks, forking
from tests.record.watch.writing import SESSION, Writer, append
from unbraid import events as e
from unbraid.cli.live import FleetView
from unbraid.errors import CallerError
from unbraid.log import open_log
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.log import RemoteLog

PLACE: dict[str, Any] = {"ts": 1, "depth": 0, "agent": "main"}
pytestmark = pytest.mark.xdist_group("resume")
EVIL = '--mcp-config={"mcpServers":{"x":{"command":"touch","args":["owned"]}}}'

Attach = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking("unbraid.cli.follow", "unbraid.machine", "unbraid.log") as forks:
        yield forks


@pytest.fixture
def attach(tmp_path: Path, forks: Forks) -> Attach:
    """`unbraid attach` with programs on PATH that say how they were started."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("claude", "opencode", "codex", "kilo"):
        (programs / name).write_text(f'#!/bin/sh\necho STARTED {name} in "$PWD" with "$@"\n')
        (programs / name).chmod(0o755)
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "UNBRAID_HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return forks.run("attach", *words, env=env)

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


@pytest.mark.parametrize("source", ["claude", "opencode", "codex", "kilo"])
@pytest.mark.parametrize(
    "session", [EVIL, "-c", "--", "../../x", "a b", "$(id)", "", "*", "a\nb", "'"]
)
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


async def test_a_server_cannot_name_a_run_so_that_a_copied_command_does_more() -> None:
    names = ("good", "x; touch owned", "$(touch owned)", "a\nb", "-x", "../x", "a b")
    body = json.dumps({"runs": [{"run": name, "last_seq": 1} for name in names]}).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
        writer.write(head + b"content-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with RemoteLog(RemoteServer(f"http://127.0.0.1:{port}", "token")) as log:
            assert [run.run for run in await log.runs()] == ["good"]
            assert await log.named("g") == "good"
            with pytest.raises(CallerError):
                await log.named("x")


def test_the_command_that_answers_a_request_holds_its_name_and_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = e.FleetPermissionAsked(
        seq=1,
        stream_id=0,
        request_id="q; touch owned #",
        tool="Bash",
        input_json=msgspec.Raw(b"{}"),
        **PLACE,
    )
    with FleetView() as view:
        view.show(asked, e.encode(asked))
    command = capsys.readouterr().err.rpartition(": ")[2]
    assert shlex.split(command) == ["unbraid", "approve", "q; touch owned #"]
