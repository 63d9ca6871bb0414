"""What Linux alone offers is switched off, as on macOS: nobody is taken for dead, nothing fails."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.polling import until
from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.sessions import processes
from unbraid.agents.codex import watch as codex
from unbraid.agents.opencode import writers as opencode
from unbraid.machine import Machine
from unbraid.system import folders, liveness, process
from unbraid.system.clock import now_ms


@pytest.fixture(autouse=True)
def without_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (liveness, process, codex, opencode):
        monkeypatch.setattr(module, "PROCESSES", tmp_path / "no-proc")
    monkeypatch.setattr(processes, "pid_domain", lambda: None)

    def changes(folders: list[Path]) -> None:
        raise OSError("no inotify")

    monkeypatch.setattr(folders, "reported_changes", changes)


def test_processes_are_neither_alive_nor_dead(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    assert liveness.start_of(os.getpid()) == liveness.start_of(gone.pid) == ""
    assert abs(liveness.own_start_ms() - now_ms()) < 60_000
    (tmp_path / "opencode.db").touch()
    assert opencode.holders(tmp_path / "opencode.db") == {}
    assert not opencode.is_unattended(tmp_path / "opencode.db")
    assert codex.open_rollouts() == codex.OpenRollouts(is_complete=False)


def test_a_killed_session_counts_as_alive_until_it_is_silent_for_long(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    (tmp_path / "sessions").mkdir()
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    entry = {"pid": gone.pid, "sessionId": "one", "pidDomain": "darwin:1", "status": "busy"}
    (tmp_path / "sessions" / f"{gone.pid}.json").write_text(json.dumps(entry))
    known = processes.Processes({"CLAUDE_CONFIG_DIR": str(tmp_path)})
    assert known.states()["one"].alive
    assert known.ended(frozenset({"one"})) == set()


async def test_sessions_are_followed_by_looking(tmp_path: Path) -> None:
    """Without inotify, too; a Machine is what `unbraid`, `watch`, `top` and `serve` stand on."""
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt() + writer.text("one"))
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    warned: list[str] = []
    env |= {"UNBRAID_HOME": str(tmp_path / "u"), "OPENCODE_DB": str(tmp_path / "none.db")}
    machine = Machine(env=env, warn=warned.append)
    async with asyncio.timeout(60), machine, machine.watching():

        async def reached(seq: int) -> int:
            run = await until(
                lambda: machine.log.run(writer.session),
                lambda found: found is not None and found.last_seq > seq,
            )
            assert run is not None
            return run.last_seq

        seen = await reached(3)
        append(writer.main, writer.text("two"))
        await reached(seen)
    assert any("inotify does not work here" in text for text in warned)
