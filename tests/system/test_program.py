"""A program of ours: nothing of it is left, however it is ended."""

from __future__ import annotations

import asyncio
import operator
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.polling import until
from tests.system.survivors import marked, survivors
from unbraid.errors import BackendError
from unbraid.system.process import STDERR_BYTES, start_program

# Deaf to SIGTERM, with a child in its group and one in a session of its own.
STUBBORN = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for new in (False, True):
    subprocess.Popen([sys.executable, "-c", "import signal, time; "
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(9999)"],
        start_new_session=new)
while True:
    signal.pause()
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def test_what_it_prints_and_reads(tmp_path: Path) -> None:
    env, mark = marked(dict(os.environ))
    echo = python("import sys\nfor line in sys.stdin: print('>' + line, end='', flush=True)")
    async with start_program("echo", echo, env=env, cwd=tmp_path) as program:
        await program.write(b"hello\n")
        assert await program.read() == b">hello\n"
        program.post(b"again\n")
        assert await program.read() == b">again\n"
    assert survivors(mark) == []


async def test_a_missing_program_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"none: .*nothing: No such file.*; install it"):
        async with start_program(
            "none", [str(tmp_path / "nothing")], env={}, cwd=tmp_path, advice="install it"
        ):
            raise AssertionError
    with pytest.raises(BackendError, match="null"):
        async with start_program("none", [sys.executable, "a\0b"], env={}, cwd=tmp_path):
            raise AssertionError


async def test_a_crash_is_reported_with_its_last_words(tmp_path: Path) -> None:
    loud = python("import sys; sys.stderr.write('x' * 100000 + 'last words'); sys.exit(3)")
    async with start_program("loud", loud, env=dict(os.environ), cwd=tmp_path) as program:
        assert await program.read() == b""
        error = await program.failure("try again")
    assert error.problem.startswith("ended with exit code 3: xxx")
    assert error.problem.endswith("last words")
    assert len(error.problem) < STDERR_BYTES + 100
    assert error.advice == "try again"


async def test_a_kill_is_reported_by_its_name(tmp_path: Path) -> None:
    killed = python("import os; os.kill(os.getpid(), 9)")
    async with start_program("killed", killed, env=dict(os.environ), cwd=tmp_path) as program:
        assert await program.read() == b""
        assert (await program.failure("")).problem == "was ended by SIGKILL"


async def test_one_that_is_deaf_is_ended_with_its_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.system.process.PROGRAM_END_GRACE_SECONDS", 0.2)
    env, mark = marked(dict(os.environ))
    async with start_program("stubborn", python(STUBBORN), env=env, cwd=tmp_path) as program:
        said = b""
        while said.count(b"up") < 2:
            said += await program.read()
        assert len(survivors(mark)) == 3
    assert survivors(mark) == []


async def test_a_second_cancellation_ends_it_at_once(tmp_path: Path) -> None:
    env, mark = marked(dict(os.environ))
    up = asyncio.Event()

    async def hold() -> None:
        async with start_program("stubborn", python(STUBBORN), env=env, cwd=tmp_path) as program:
            said = b""
            while said.count(b"up") < 2:
                said += await program.read()
            up.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await up.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert survivors(mark) == []


OWNER = """
import asyncio, os, sys
from pathlib import Path
from unbraid.system.process import start_program
async def main():
    env = dict(os.environ)
    async with start_program("stubborn", sys.argv[1:], env=env, cwd=Path.cwd()) as program:
        said = b""
        while said.count(b"up") < 2:
            said += await program.read()
        print("up", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_it_ends_even_if_we_are_killed(tmp_path: Path) -> None:
    env, mark = marked(dict(os.environ))
    # One that hears a SIGTERM ends its family by itself, as the CLIs do.
    gentle = STUBBORN.replace("signal.SIGTERM, signal.SIG_IGN", "signal.SIGTERM, signal.SIG_DFL")
    owner = await asyncio.create_subprocess_exec(
        *python(OWNER), *python(gentle.replace("(False, True)", "(False, False)")),
        env=env, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert owner.stdout is not None
    assert await owner.stdout.readline() == b"up\n"
    assert len(survivors(mark)) == 4
    owner.kill()
    await owner.wait()
    await until(lambda: survivors(mark), operator.not_)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.integers(0, 150))
def test_cancelled_at_any_moment_it_leaves_nobody(tmp_path: Path, steps: int) -> None:
    env, mark = marked(dict(os.environ))
    talker = python("import sys\nfor line in sys.stdin: print(line, end='', flush=True)")

    async def talk() -> None:
        async with start_program("talker", talker, env=env, cwd=tmp_path) as program:
            while True:
                await program.write(b"x\n")
                await program.read()

    async def cancelled() -> None:
        task = asyncio.create_task(talk())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert survivors(mark) == []
