"""Which of Claude Code's processes are gone, by the list that they keep themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.claude.sessions.store import ClaudeSessions
from unbraid.agents.port import SessionState
from unbraid.fold.status import WaitingFor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc")

OTHER = "11111111-9999-4333-8444-555555555555"
ALL = frozenset({"one", "two", "elsewhere", "of an older version"})


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    (tmp_path / "projects").mkdir()
    (tmp_path / "sessions").mkdir()
    return tmp_path / "sessions"


def processes(sessions: Path) -> Processes:
    return Processes({"CLAUDE_CONFIG_DIR": str(sessions.parent)})


def dead(sessions: Path) -> set[str]:
    return processes(sessions).ended(ALL)


def entry(sessions: Path, pid: int, session: str, **more: Any) -> None:
    machine = Path("/etc/machine-id").read_text().strip()
    domain = f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"
    output = {"pid": pid, "sessionId": session, "pidDomain": domain, **more}
    (sessions / f"{pid}.json").write_text(json.dumps(output))


def started_at(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def test_a_process_that_was_killed_has_died_as_soon_as_it_has(sessions: Path) -> None:
    process = subprocess.Popen(["sleep", "600"])
    entry(sessions, process.pid, "one", procStart=started_at(process.pid))
    assert dead(sessions) == set()
    process.kill()
    # Not waited for yet: dead all the same, once the system has done it.
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        pass
    assert dead(sessions) == {"one"}
    process.wait()
    assert dead(sessions) == {"one"}


def test_only_what_is_known_is_judged(sessions: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    entry(sessions, process.pid, "elsewhere", pidDomain="linux:other:pid:[1]")
    assert dead(sessions) == set()
    entry(sessions, process.pid, "of an older version", pidDomain=None)
    assert dead(sessions) == set()
    for name, bad in (("a", b"{"), ("b", b"[]"), ("c", b"\xff\xfe"), ("d", b'{"pid": "x"}')):
        (sessions / f"{name}.json").write_bytes(bad)
    (sessions / "e.json").mkdir()
    assert dead(sessions) == set()
    entry(sessions, process.pid, "one")
    assert dead(sessions) == {"one"}


def test_who_does_not_say_where_it_lives_has_to_be_seen_there(sessions: Path) -> None:
    seen = processes(sessions)
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            start = started_at(process.pid)
            entry(sessions, process.pid, "one", pidDomain=None, procStart=start)
            other = {"pid": process.pid, "sessionId": "elsewhere", "procStart": "1"}
            (sessions / "other.json").write_text(json.dumps(other))
            seen.refresh()
        finally:
            process.kill()
    assert dead(sessions) == set(), "never seen"
    assert seen.ended(ALL) == {"one"}
    assert seen.ended(ALL) == set()


def test_a_number_that_another_process_has_now_is_not_its_own(sessions: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            entry(sessions, process.pid, "one", procStart="1")
            assert dead(sessions) == {"one"}
        finally:
            process.kill()


def test_a_session_lives_if_one_of_its_processes_does(sessions: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    entry(sessions, gone.pid, "one")
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            entry(sessions, process.pid, "one", procStart=started_at(process.pid))
            assert dead(sessions) == set()
        finally:
            process.kill()


def test_a_session_that_leaves_the_list_has_ended_once(sessions: Path) -> None:
    seen = processes(sessions)
    entry(sessions, os.getpid(), "one")
    assert seen.ended(ALL) == set()
    (sessions / f"{os.getpid()}.json").unlink()
    assert seen.ended(ALL) == set(), "it may be written anew at this moment"
    assert seen.ended(ALL) == {"one"}
    assert seen.ended(ALL) == set()
    entry(sessions, os.getpid(), "one")
    assert seen.ended(ALL) == set(), "somebody goes on with it"


def test_a_session_whose_entry_is_written_anew_goes_on(sessions: Path) -> None:
    seen = processes(sessions)
    for _ in range(3):
        entry(sessions, os.getpid(), "one")
        assert seen.ended(ALL) == set()
        (sessions / f"{os.getpid()}.json").write_bytes(b"")
        assert seen.ended(ALL) == set()


def test_who_was_killed_is_reported_once_and_again_after_a_new_life(sessions: Path) -> None:
    seen = processes(sessions)
    entry(sessions, os.getpid(), "one", procStart="1")
    assert seen.ended(frozenset({"two"})) == set()
    assert seen.ended(ALL) == {"one"}
    assert seen.ended(ALL) == set()
    entry(sessions, os.getpid(), "one")
    assert seen.ended(ALL) == set()
    entry(sessions, os.getpid(), "one", procStart="1")
    assert seen.ended(ALL) == {"one"}


def test_what_a_process_says_that_it_does(sessions: Path) -> None:
    seen = processes(sessions)
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    entry(sessions, gone.pid, "two", status="busy")
    for status, waiting in (
        ("busy", None),
        ("idle", WaitingFor("prompt", 7)),
        ("waiting", WaitingFor("permission", 7)),
    ):
        entry(sessions, os.getpid(), "one", status=status, statusUpdatedAt=7)
        assert seen.states() == {
            "one": SessionState(alive=True, waiting=waiting, since=0 if waiting else 7),
            "two": SessionState(alive=False),
        }
    entry(sessions, os.getpid(), "one")
    assert not seen.states()["one"].is_precise, "of a version that does not say"


def test_a_session_of_a_version_that_keeps_the_list_and_is_not_on_it_was_left(
    tmp_path: Path,
) -> None:
    writer, store = Writer(tmp_path), ClaudeSessions({"CLAUDE_CONFIG_DIR": str(tmp_path)})
    append(writer.main, writer.prompt() + writer.text("one"))
    os.utime(writer.main, (1e9, 1e9))
    asked = [writer.session, OTHER]
    assert store.states(asked) == {}, "nobody keeps a list here"
    (tmp_path / "sessions").mkdir()
    assert store.states() == {}
    assert store.states(asked) == {writer.session: SessionState(alive=False)}
    old = Writer(tmp_path, OTHER)
    append(old.main, old.text("one").replace(b"2.1.325", b"2.0.76"))
    os.utime(old.main, (1e9, 1e9))
    assert store.states(asked) == {writer.session: SessionState(alive=False)}
    os.utime(writer.main)
    assert store.states(asked) == {}, "its entry may be on its way"
    account = {"type": "cost-state", "sessionId": writer.session, "totalCostUSD": 0.5}
    append(writer.main, json.dumps(account, separators=(",", ":")).encode() + b"\n")
    assert store.states(asked) == {writer.session: SessionState(alive=False)}, "it wrote its last"
    entry(tmp_path / "sessions", os.getpid(), writer.session, status="busy")
    assert store.states(asked) == {writer.session: SessionState(alive=True)}
