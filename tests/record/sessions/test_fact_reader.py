"""Two processes read a history: they find what one finds, also if the second one is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.record.watch.writing import Writer, append

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there a process is forked")

# In a process of its own: a worker of the tests has threads, and then nothing is forked.
PROGRAM = """
import os, signal, sys, time
from unbraid.record.sessions import fact_reader
from unbraid.record.sessions.stored_facts import stored_facts

fact_reader.MIN_BYTES = int(sys.argv[2])
forked, fork = [], os.fork

def counted():
    pid = fork()
    if pid:
        forked.append(pid)
        if sys.argv[3] == "killed":
            os.kill(pid, signal.SIGKILL)
        elif sys.argv[3] == "first":
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return pid

os.fork = counted
env = {"CLAUDE_CONFIG_DIR": sys.argv[1], "HOME": sys.argv[1]}
rows = stored_facts(env, None, warn=print)
if sys.argv[3] == "stopped":
    next(rows)
    rows.close()
else:
    print(*rows, sep="\\n")
try:
    os.waitpid(-1, os.WNOHANG)
    print("somebody is left")
except ChildProcessError:
    pass
print(len(forked), file=sys.stderr)
"""


def listed(folder: Path, min_bytes: int, how: str = "") -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, str(min_bytes), how],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout, int(done.stderr)


def test_two_find_what_one_finds(tmp_path: Path) -> None:
    for number in range(20):
        writer = Writer(tmp_path, f"{number:08d}-2222-4333-8444-555555555555")
        append(writer.main, writer.prompt(f"Session {number}.") + 9 * writer.text("word"))
        append(writer.child("a1", "toolu_1"), writer.text("helps", "a1"))
        if number % 7 == 0:
            append(writer.main, b'{"type":\n\x00\xff')
    # A copy that has gone on.
    copy = Writer(tmp_path, "00000099-2222-4333-8444-555555555555")
    append(copy.main, writer.main.read_bytes() + copy.text("more"))
    alone, none = listed(tmp_path, 1 << 40)
    assert none == 0 and alone.count("FoundFacts(") == 21 and "somebody" not in alone
    for how in ("", "first", "killed"):
        assert listed(tmp_path, 1, how) == (alone, 1)
    assert listed(tmp_path, 1, "stopped") == ("", 1)
