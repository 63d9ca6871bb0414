"""A disk that takes no more of our log: agents go on, a watch waits for room and loses nothing.

The processes are real, and so is their trouble: from some moment on the system lets none of their
files grow.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, log_path, logged
from tests.record.run.test_passing import start
from tests.record.watch.test_restart import environment, heard, reached
from tests.record.watch.writing import SESSION, Writer, append
from tests.serve.test_crash import LINES, lines_of
from unbraid import events as e
from unbraid.log import SqliteLog

resource = pytest.importorskip("resource", reason="needs limits on the size of files")

SMALL_BYTES = 4096


def give_room(process: asyncio.subprocess.Process, size: int = resource.RLIM_INFINITY) -> None:
    """How large a file of this process, not of its children, may be from now on."""
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, most))


async def test_a_watch_waits_for_room(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.text("one"))
    log = await SqliteLog.open(log_path(tmp_path))
    env, pipe = environment(tmp_path), asyncio.subprocess.PIPE
    watch = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=env, stderr=pipe
    )
    assert watch.stderr is not None
    async with asyncio.timeout(60):
        await heard(log, reached(1))
        give_room(watch, SMALL_BYTES)
        append(writer.main, writer.text("two"))
        output = b""
        while b"log.db" not in output:
            output = await watch.stderr.readline()
            assert output
        append(writer.main, writer.text("three"))
        give_room(watch)
        await heard(log, lambda entry: b"three" in entry.data)
        watch.terminate()
        await watch.communicate()
    await log.close()
    assert watch.returncode == 0
    events = (await logged(tmp_path))[SESSION]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [x.delta for x in events if isinstance(x, e.Text)] == ["one", "two", "three"]


async def test_an_agent_goes_on_without_its_log(tmp_path: Path) -> None:
    said = lines_of(1)
    (tmp_path / "said").write_bytes(said)
    half = said.index(b"\n", len(said) // 2) + 1
    agent = f"head -c {half} {tmp_path}/said; read go; tail -c +{half + 1} {tmp_path}/said; exit 3"
    run = await start(tmp_path, "run", "--", "sh", "-c", agent)
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    async with asyncio.timeout(60):
        await heard(log, reached(LINES // 4), "s1")
        give_room(run, SMALL_BYTES)
        out, err = await run.communicate(b"go\n")
    (summary,) = await log.runs()
    kept = await log.read(summary.run, 0, 10 * LINES)
    await log.close()
    assert (out, run.returncode) == (said, 3)
    (warning,) = err.splitlines()
    assert b"this run is not logged" in warning
    assert [entry.seq for entry in kept] == list(range(1, len(kept) + 1))
    assert len(kept) >= LINES // 4
