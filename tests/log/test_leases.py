"""Leases in files: one descriptor for all of a process, and none outlives its holder."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from unbraid.log.leases import FileLeases, is_held

# Acquires what it is told to, says how many it got, and waits.
HOLDER = """
import asyncio, sys
from pathlib import Path
from unbraid.log.leases import FileLeases

async def hold(home, count):
    leases = FileLeases(Path(home))
    sys.stdin.readline()
    got = [name for name in map("r{}".format, range(count)) if await leases.acquire(name)]
    print(*got, flush=True)
    sys.stdin.readline()

asyncio.run(hold(sys.argv[1], int(sys.argv[2])))
"""


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc")
async def test_a_thousand_leases_need_one_descriptor(tmp_path: Path) -> None:
    leases, other = FileLeases(tmp_path), FileLeases(tmp_path)
    before = descriptors()
    for number in range(1000):
        assert await leases.acquire(f"r{number}")
    assert descriptors() == before + 1
    assert other.is_held("r999")
    assert not await other.acquire("r0")
    for number in range(1000):
        await leases.release(f"r{number}")
    assert descriptors() == before
    assert await other.acquire("r0")
    await other.close(ended=True)
    assert [path for path in (tmp_path / "holders").iterdir() if path.is_file()] == []


def started(home: Path, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def told(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def acquired(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


async def test_what_a_killed_process_held_goes_to_exactly_one_other(tmp_path: Path) -> None:
    names = [f"r{number}" for number in range(300)]
    holder = started(tmp_path, len(names))
    told(holder)
    assert acquired(holder) == names
    leases = FileLeases(tmp_path)
    assert await leases.abandoned() == []
    assert not await leases.acquire("r7")
    holder.kill()
    await asyncio.to_thread(holder.communicate)
    assert sorted(await leases.abandoned()) == sorted(names)
    assert not is_held(tmp_path, "r7")
    rivals = [started(tmp_path, len(names)) for _ in range(4)]
    for rival in rivals:
        told(rival)
    got = [name for rival in rivals for name in acquired(rival)]
    assert sorted(got) == sorted(names)
    assert await leases.abandoned() == []
    for rival in rivals:
        rival.kill()
        rival.communicate()
    assert sorted(await leases.abandoned()) == sorted(names)
    # What is left of those that died is the leases: no file of a holder stays.
    assert list((tmp_path / "holders").glob("holder.*")) == []
