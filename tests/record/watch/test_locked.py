"""Folders and files that may not be read: reported, and the rest goes on. For root, too."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, log_path
from tests.record.watch.writing import Writer, append
from unbraid.log import SqliteLog

DROP_CAPABILITY, READ_EVERYTHING, PASS_EVERYTHING = 24, 2, 1


def like_anyone() -> None:
    """Root may read what nobody may, unless it gives that up."""
    if os.getuid() == 0 and sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (PASS_EVERYTHING, READ_EVERYTHING):
            assert libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0) == 0


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[list[Path]]:
    """A project, a session and a sub-agent's folder that may not be read."""
    projects = tmp_path / ".claude" / "projects"
    one = Writer(tmp_path / ".claude", "00000000-0000-4000-8000-000000000001")
    append(one.main, one.text("never seen"))
    two = Writer(tmp_path / ".claude", "00000000-0000-4000-8000-000000000002")
    append(two.main, two.text("seen"))
    folder = two.main.with_suffix("") / "subagents"
    paths = [projects / "-locked", one.main, folder]
    for path in (projects / "-locked", folder):
        path.mkdir(parents=True)
    for path in paths:
        path.chmod(0)
    yield paths
    for path in paths:
        path.chmod(0o700)


@asynccontextmanager
async def started(*words: str, home: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *words,
        env=env, preexec_fn=like_anyone,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_watch_reports_it_and_continues(tmp_path: Path, locked: list[Path]) -> None:
    writer = Writer(tmp_path / ".claude", "00000000-0000-4000-8000-000000000003")
    append(writer.main, writer.text("open"))
    log = await SqliteLog.open(log_path(tmp_path))
    async with asyncio.timeout(60), started("watch", "--no-page", home=tmp_path) as watch:
        async for batch in log.follow(writer.session):
            if any(b"still open" in entry.data for entry in batch):
                break
            if any(b"open" in entry.data for entry in batch):
                append(writer.main, writer.text("still open"))
        async for batch in log.follow("00000000-0000-4000-8000-000000000002"):
            if any(b"seen" in entry.data for entry in batch):
                break
        watch.send_signal(signal.SIGTERM)
        _, output = await watch.communicate()
        assert watch.returncode == 0
    for path in locked:
        assert f"{path}: Permission denied" in output.decode()
    assert await log.run("00000000-0000-4000-8000-000000000001") is None
    await log.close()


async def test_a_list_and_a_checkup_report_it_too(tmp_path: Path, locked: list[Path]) -> None:
    async with asyncio.timeout(60):
        async with started("ps", "--all", home=tmp_path) as ps:
            shown, output = await ps.communicate()
            assert ps.returncode == 0
            assert b"00000000-0000-4000-8000-000000000002" in shown
            for path in locked:
                assert f"{path}: Permission denied" in output.decode()
        async with started("doctor", home=tmp_path) as doctor:
            shown, _ = await doctor.communicate()
            assert f"{locked[0]}: Permission denied" in shown.decode()
