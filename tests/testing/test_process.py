"""A child process: its lines as they are, and nothing of it left behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.polling import until
from unbraid.testing.process import Child

ENV = {"PATH": os.environ["PATH"]}


async def start(tmp_path: Path, code: str, *, reads_stdin: bool = False) -> Child:
    return await Child.start([sys.executable, "-c", code], ENV, tmp_path, reads_stdin=reads_stdin)


async def test_lines_of_any_length_and_an_unfinished_one(tmp_path: Path) -> None:
    code = "import sys; w = sys.stdout.write; w('a\\n\\n' + 'x' * 3_000_000 + '\\nb\\u2028c\\rd')"
    child = await Child.start([sys.executable, "-Xutf8", "-c", code], ENV, tmp_path)
    lines = [line async for _, line in child.lines()]
    assert lines == [b"a", b"", b"x" * 3_000_000, "b\u2028c\rd".encode()]
    assert await child.wait() == 0
    await child.stop()


async def test_it_talks(tmp_path: Path) -> None:
    child = await start(tmp_path, "print(input()[::-1])", reads_stdin=True)
    await child.write(b"abc\n")
    assert [line async for _, line in child.lines()] == [b"cba"]
    child.end_input()
    assert await child.stop() == 0
    await child.write(b"too late\n")


async def test_what_it_said_on_stderr(tmp_path: Path) -> None:
    child = await start(tmp_path, "import sys; sys.exit('wrong')")
    assert (await child.wait(), child.stderr.strip()) == (1, b"wrong")
    await child.stop()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find strays")
async def test_no_relative_survives_even_in_a_session_of_its_own(tmp_path: Path) -> None:
    stray = "import time; time.sleep(600)"
    code = (
        "import subprocess, sys, time, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_DFL)\n"
        f"p = subprocess.Popen([sys.executable, '-c', {stray!r}], start_new_session=True)\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    child = await start(tmp_path, code)
    _, line = await anext(aiter(child.lines()))
    assert await child.stop() == -15
    await until(lambda: not _alive(int(line)))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
