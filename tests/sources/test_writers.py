"""Who has a file open to write, asked of real processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from unbraid.sources.writers import AGAIN_SECONDS, Writers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc")

HOLD = "import sys; file = open(sys.argv[1], sys.argv[2]); print(flush=True); sys.stdin.read()"


def holding(path: Path, mode: str, program: str = HOLD) -> subprocess.Popen[bytes]:
    """A process that has the file open until its stdin ends."""
    command = [sys.executable, "-c", program, str(path), mode]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_last_writer_is_gone_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.db", Clock()
    path.touch()
    writers = Writers(path, clock)
    with holding(path, "r+") as one, holding(path, "r+") as two:
        assert not writers.gone()
        one.kill()
        one.communicate()
        assert not writers.gone()
        two.communicate()
        assert writers.gone()
        assert not writers.gone()


def test_who_reads_does_not_count(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.db", Clock()
    path.touch()
    link = tmp_path / "link.db"
    link.symlink_to(path)
    writers = Writers(link, clock)
    with holding(path, "r") as reader:
        assert not writers.gone()
        reader.communicate()
    assert not writers.gone(), "nobody was there"
    with holding(path, "r+") as writer:
        assert not writers.gone(), "not looked for again so soon"
        clock.now += AGAIN_SECONDS
        assert not writers.gone()
        writer.communicate()
    assert writers.gone()


def test_whoever_comes_as_another_goes_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    writers = Writers(path, Clock())
    with holding(path, "r+") as one:
        assert not writers.gone()
        with holding(path, "r+") as two:
            one.communicate()
            assert not writers.gone()
            two.communicate()
            assert writers.gone()


# Its own file has a higher number than those that come and go, and is looked at after them.
CHURN = """
import sys, threading
low = [open(sys.argv[1]) for _ in range(100)]
file = open(sys.argv[1], "r+")
for each in low: each.close()
ended = threading.Event()
def churn():
    while not ended.is_set():
        others = [open(sys.argv[1]) for _ in range(100)]
        for other in others: other.close()
churning = threading.Thread(target=churn)
churning.start()
print(flush=True)
sys.stdin.read()
ended.set()
churning.join()
"""


def test_a_writer_that_opens_and_closes_other_files_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    writers = Writers(path, Clock())
    with holding(path, "r+", CHURN) as process:
        assert all(not writers.gone() and writers._known == {process.pid} for _ in range(300))
        process.communicate()
    assert writers.gone()
