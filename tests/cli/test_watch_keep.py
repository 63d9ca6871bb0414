"""`unbraid watch --keep`: sessions of the past are imported, too, each once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.polling import PATIENCE_SECONDS, until
from tests.record.watch.writing import Writer, append
from unbraid.log import SqliteLog
from unbraid.log.port import every_run

UNBRAID = Path(sys.executable).with_name("unbraid")
LAST_WEEK = datetime.now(UTC) - timedelta(days=7)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
    }


async def test_a_stored_session_is_imported_only_with_keep(
    env: dict[str, str], tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "claude")
    writer.timestamp = f"{LAST_WEEK:%Y-%m-%dT%H:%M:%S}.000Z"
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    os.utime(writer.main, (LAST_WEEK.timestamp(),) * 2)
    before = writer.main.read_bytes()
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    try:
        await watch(env)
        assert [run.run async for run in every_run(log)] == []
        await watch(env, "--keep", until=log)
        (run,) = [run async for run in every_run(log)]
        assert run.session_id == writer.session
        entries = await log.read(run.run)
        assert sum(b'"one"' in entry.data for entry in entries) == 1
        # Once is enough: the next watch finds it in the log.
        await watch(env, "--keep", until=log)
        assert await log.read(run.run) == entries
        assert len([run async for run in every_run(log)]) == 1
    finally:
        await log.close()
    assert writer.main.read_bytes() == before


async def imported(log: SqliteLog) -> None:
    """Waits until a run is in the log, and over."""

    async def over() -> bool:
        return any([run.over async for run in every_run(log)])

    await until(over)


async def watch(env: dict[str, str], *options: str, until: SqliteLog | None = None) -> None:
    """Watches until the sessions are listed and, if a log is given, one run of it is over."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", *options, env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert process.stderr is not None
            printed = b""
            while not (line := await process.stderr.readline()).startswith(b"unbraid: 1 session"):
                assert line, f"the watch has ended: {printed!r} {await process.wait()}"
                printed += line
            if until is not None:
                await imported(until)
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
