"""A test that hangs fails, by its name, and the others go on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HANGING = """
import asyncio
import gc
import pytest
import threading

# Only the tests that hang: on a busy machine it may take seconds to start a process.
soon = pytest.mark.timeout(1, func_only=True)

@pytest.fixture
async def started():
    process = await asyncio.create_subprocess_exec("sleep", "1000")
    yield process
    process.kill()
    print("ended", await process.wait())

@soon
def test_a_lock():
    threading.Event().wait()

@soon
def test_a_thread():
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    thread.join()

@soon
async def test_a_process(started):
    await started.wait()

tries = []

@soon
@pytest.mark.flaky(reruns=1, only_rerun=["Timeout"])
async def test_that_passes_when_tried_again():
    tries.append(1)
    if len(tries) == 1:
        process = await asyncio.create_subprocess_exec("sleep", "2", stdout=asyncio.subprocess.PIPE)
        await process.communicate()

def test_that_goes_on():
    for thread in threading.enumerate():
        if "waitpid" in thread.name:
            thread.join()
    gc.collect()
"""


@pytest.mark.timeout(300)
def test_every_way_of_hanging_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest"]
    command += ["-c", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    for name in ("a_lock", "a_thread", "a_process"):
        assert f"FAILED test_hanging.py::test_{name} - Failed: Timeout (>1.0s)" in done.stdout
    assert "3 failed, 2 passed, 1 rerun" in done.stdout, done.stdout
    assert "ended -9" in done.stdout, "a fixture ends what it has started"


def test_every_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    # Even the one that has asked for none.
    assert float(request.config.getini("timeout")) > 0
    assert request.config.getini("timeout_method") == "signal"
