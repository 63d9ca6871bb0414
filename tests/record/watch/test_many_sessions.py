"""A watch without a page follows far more sessions than it may have files open."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.polling import blocked_until
from tests.record.watch.writing import Writer, append

SESSIONS = 600
MAX_DESCRIPTORS = 256

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc"),
]


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_DESCRIPTORS, MAX_DESCRIPTORS))


def recorded(log: Path) -> int:
    """Returns how many sessions are in the log."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(log, timeout=30)) as database:
        found = database.execute("SELECT count(DISTINCT session) FROM runs WHERE last_seq > 3")
        return int(found.fetchone()[0])
    return 0


def test_silent_sessions_hold_no_descriptor(tmp_path: Path) -> None:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
    }
    log = tmp_path / "unbraid" / "log.db"
    Writer(tmp_path / "claude")
    command = [str(Path(sys.executable).with_name("unbraid")), "watch", "--no-page"]
    with (tmp_path / "said").open("wb") as said:
        watch = subprocess.Popen(
            command, env=env, preexec_fn=limited, stdout=said, stderr=subprocess.STDOUT
        )
    try:
        for number in range(SESSIONS):
            writer = Writer(tmp_path / "claude", str(uuid.UUID(int=number + 1, version=4)))
            append(writer.main, writer.prompt(f"Task {number}.") + writer.text(f"Done {number}."))

        def recorded_all() -> bool:
            assert watch.poll() is None, (tmp_path / "said").read_text()
            return recorded(log) == SESSIONS

        blocked_until(recorded_all)
        # All of them are followed, and belong to it.
        leases = [path for path in (tmp_path / "unbraid" / "leases").iterdir() if path.is_file()]
        assert len(leases) == SESSIONS
        opened = sum(1 for _ in Path(f"/proc/{watch.pid}/fd").iterdir())
        assert opened < 60
    finally:
        watch.send_signal(signal.SIGTERM)
        code = watch.wait(60)
    assert (code, (tmp_path / "said").read_text().count("Too many open files")) == (0, 0)
