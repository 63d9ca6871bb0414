"""Stored sessions are brought into the log, each once, also after an interruption."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import HOURS_AGO, Writer, append
from unbraid import Machine
from unbraid.errors import CallerError
from unbraid.log import RunSummary
from unbraid.log.port import every_run
from unbraid.record.sessions.importer import named_sessions

RECORDED = ("deep-fan.plain.2.1.197", "nested.plain-fwd.2.1.325", "background.plain.2.1.325")
YESTERDAY_SECONDS = 86400


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


def store(env: dict[str, str]) -> list[Path]:
    """Real sessions of yesterday, with their sub-agents."""
    projects = Path(env["CLAUDE_CONFIG_DIR"]) / "projects"
    for name in RECORDED:
        shutil.copytree(RECORDINGS / name / "projects", projects, dirs_exist_ok=True)
    files = [path for path in projects.rglob("*") if path.is_file()]
    for path in files:
        age(path)
    return files


def age(path: Path) -> None:
    then = path.stat().st_mtime - YESTERDAY_SECONDS
    os.utime(path, (then, then))


async def imported(machine: Machine, most: int = 1000) -> Counter[str]:
    counts = Counter[str]()
    async for done in machine.import_sessions():
        counts[done.outcome] += 1
        if counts.total() >= most:
            break
    return counts


async def runs_of(machine: Machine) -> dict[str, RunSummary]:
    return {run.run: run async for run in every_run(machine.log)}


async def test_every_session_is_imported_once(env: dict[str, str]) -> None:
    store(env)
    async with Machine(env=env) as machine:
        assert await imported(machine, most=1) == {"imported": 1}  # interrupted after the first
        assert await imported(machine) == {"known": 1, "imported": 2}
        runs = await runs_of(machine)
        assert await imported(machine) == {"known": 3}
        assert await runs_of(machine) == runs
        assert len(runs) == 3
        assert all(run.over and run.agents > 1 for run in runs.values())


async def test_a_session_that_goes_on_is_imported_from_there(env: dict[str, str]) -> None:
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]), timestamp=HOURS_AGO)
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    age(writer.main)
    async with Machine(env=env) as machine:
        await imported(machine)
        append(writer.main, writer.prompt("Go on.") + writer.text("two"))
        assert await imported(machine) == {"imported": 1}
        runs = await runs_of(machine)
        assert set(runs) == {writer.session, f"{writer.session}.2"}
        entries = await machine.log.read(f"{writer.session}.2")
        assert [e.event.delta for e in entries if e.type == "text"] == ["two"]  # type: ignore[attr-defined]


async def test_one_that_another_process_records_is_left_to_it(env: dict[str, str]) -> None:
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    async with Machine(env=env) as machine:
        leases = machine.log.leases()
        assert await leases.acquire(writer.session)
        assert await imported(machine) == {"busy": 1}
        await leases.close(ended=False)


async def test_one_that_cannot_be_read_stops_no_other(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store(env)
    from unbraid.record.sessions import importer

    record, calls = importer.record_session, list[str]()

    async def failing(log: object, session: str, *args: object, **more: object) -> bool:
        calls.append(session)
        if len(calls) == 1:
            raise OSError("gone")
        return await record(log, session, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(importer, "record_session", failing)
    async with Machine(env=env) as machine:
        assert await imported(machine) == {"failed": 1, "imported": 2}


async def test_sessions_are_named_by_their_beginning(env: dict[str, str]) -> None:
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    append(writer.main, writer.prompt("Count."))
    assert named_sessions([writer.session[:6], writer.session], env) == [writer.session]
    with pytest.raises(CallerError, match="not found"):
        named_sessions(["nobody"], env)


async def test_a_machine_that_keeps_imports_everything(env: dict[str, str]) -> None:
    store(env)
    ended = 0
    async with Machine(env=env) as machine, machine.session_import(), asyncio.timeout(60):
        async for batch in machine.log.follow_all(0):
            ended += sum(entry.type == "done" for entry in batch)
            if ended == len(RECORDED):
                break
