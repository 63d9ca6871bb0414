"""A start that is cancelled at any step leaves no process and does not hang."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.system.survivors import marked, survivors
from unbraid.system.process import NOTHING, PIPE, start

SLEEPER = (sys.executable, "-c", "import time; time.sleep(9999)")


@settings(max_examples=40)
@given(steps=st.integers(0, 25), again=st.booleans())
def test_a_start_can_be_cancelled_at_any_step(steps: int, again: bool) -> None:
    env, mark = marked(dict(os.environ))

    async def cancelled() -> None:
        task = asyncio.create_task(start(SLEEPER, env, stdin=PIPE, stdout=PIPE, stderr=PIPE))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.done():
            await task.result().let_go()
            return
        task.cancel()
        if again:
            await asyncio.sleep(0)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def bounded() -> None:
        async with asyncio.timeout(60):
            await cancelled()

    asyncio.run(bounded())
    assert survivors(mark) == []


async def test_what_cannot_be_started_is_reported() -> None:
    with pytest.raises(OSError, match="nothing"):
        await start(["/nothing"], {}, stdin=NOTHING)


async def test_a_stray_child_that_holds_a_pipe_holds_nobody_up() -> None:
    env, mark = marked(dict(os.environ))
    stray = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).pid, flush=True)"
    async with asyncio.timeout(60):
        process = await start(
            (sys.executable, "-c", stray, *SLEEPER), env, stdin=NOTHING, stdout=PIPE
        )
        assert process.stdout is not None
        line = b""
        while not line.endswith(b"\n"):  # which may be written by itself
            line += await process.stdout.read(100)
        pid = int(line)
        try:
            assert await process.wait() == 0
            assert len(survivors(mark)) == 1
            await process.let_go()
            assert await process.stdout.read() == b""
        finally:
            os.kill(pid, signal.SIGKILL)


async def test_who_writes_on_finds_out_that_nobody_reads() -> None:
    async with asyncio.timeout(60):
        process = await start(("yes",), None, stdin=NOTHING, stdout=PIPE)
        assert process.stdout is not None
        assert await process.stdout.read(2) == b"y\n"
        process.stdout.close()
        assert await process.wait() == -signal.SIGPIPE


async def test_what_is_written_arrives_whole_and_in_order() -> None:
    async with asyncio.timeout(60):
        process = await start(("cat",), None, stdin=PIPE, stdout=PIPE)
        assert process.stdin is not None and process.stdout is not None
        reading = asyncio.create_task(process.stdout.read())
        lines = [b"%d\n" % number for number in range(200_000)]
        for line in lines:
            process.stdin.write(line)
            await process.stdin.drain()
        process.stdin.close()
        assert await reading == b"".join(lines)
        assert process.stdin.is_closing()
        process.stdin.write(b"nobody reads this\n")
        assert await process.wait() == 0
        await process.let_go()
