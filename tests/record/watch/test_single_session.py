"""A session that somebody looks at while nobody else follows it, and what is left of that."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.forked import ran
from tests.polling import blocked_until
from tests.record.run.agents import UNBRAID
from tests.record.watch.writing import HOURS_AGO, Writer, append, dated
from unbraid.log.leases import FileLeases, is_held

TIMEOUT_SECONDS = 60
OTHER = "11111111-9999-4333-8444-555555555555"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
    }


@asynccontextmanager
async def started(env: dict[str, str], *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *words, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def until(process: asyncio.subprocess.Process, words: str) -> None:
    assert process.stdout is not None
    while words not in (line := (await process.stdout.readline()).decode()):
        assert line, f"it ended before it said {words}"


def call(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return ran(*words, env=env)


def listed(env: dict[str, str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(call(env, "ps", "--all", "--json").stdout)
    return rows


@pytest.mark.parametrize("command", ["tail", "attach"])
async def test_a_session_that_nobody_follows_is_followed_for_whoever_looks(
    command: str, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "broken.db").write_text("broken")
    env["OPENCODE_DB"] = str(tmp_path / "broken.db")  # no matter of theirs
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt() + writer.text("one"))
    async with started(env, command, writer.session) as looking:
        await until(looking, "one")
        append(writer.main, writer.text("two"))
        await until(looking, "two")
        assert is_held(tmp_path / "unbraid", writer.session)
        looking.send_signal(signal.SIGINT)
        assert await looking.wait() == 130
        assert looking.stderr is not None
        assert await looking.stderr.read() == b""
    assert not is_held(tmp_path / "unbraid", writer.session)


async def test_two_who_look_at_one_session_see_the_same(
    env: dict[str, str], tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt() + writer.text("one"))
    async with started(env, "tail", "--json", writer.session) as first:
        await until(first, '"one"')
        async with started(env, "tail", "--json", writer.session) as second:
            await until(second, '"one"')
            append(writer.main, writer.text("two"))
            await until(first, '"two"')
            await until(second, '"two"')
            # Whoever is left takes over.
            first.kill()
            await first.wait()
            append(writer.main, writer.text("three"))
            await until(second, '"three"')


def test_a_session_that_was_looked_at_and_left_is_listed_as_what_it_is(
    env: dict[str, str], tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "claude", timestamp=dated(timedelta(minutes=2)))
    append(writer.main, writer.prompt() + writer.text("one"))
    looking = subprocess.Popen(
        [UNBRAID, "tail", writer.session], env=env, stdout=subprocess.PIPE, text=True
    )
    assert looking.stdout is not None
    while "one" not in (line := looking.stdout.readline()):
        assert line, "it ended before it said one"
    looking.send_signal(signal.SIGINT)
    assert looking.wait(60) == 130
    looking.stdout.close()
    append(writer.main, writer.text("two"))
    ago = time.time() - 600
    os.utime(writer.main, (ago, ago))
    (after,) = listed(env)
    assert after["status"] == "done"
    assert after["usage"]["output_tokens"] == 2
    # And whoever looks again sees the rest, and its end.
    shown = call(env, "tail", writer.session)
    assert shown.returncode == 0
    assert [word for word in ("one", "two", "■") if word in shown.stdout] == ["one", "two", "■"]
    assert listed(env)[0]["usage"]["output_tokens"] == 2
    # A run of the log is the same however it is printed.
    whole = call(env, "tail", "--json", writer.session).stdout
    assert call(env, "cat", "--json", writer.session).stdout == whole
    assert call(env, "cat", "--json", writer.session[:8]).stdout == whole
    assert '"type":"text_delta"' in call(env, "cat", "--relay", writer.session).stdout
    # The log has seen its end, whatever the file's time says.
    os.utime(writer.main)
    assert json.loads(call(env, "tree", "--json", writer.session).stdout)["status"] == "done"


def test_a_run_is_named_by_as_much_as_distinguishes_it(env: dict[str, str], tmp_path: Path) -> None:
    first = Writer(tmp_path / "claude", timestamp=HOURS_AGO)
    second = Writer(tmp_path / "claude", OTHER, timestamp=HOURS_AGO)
    for writer, words in ((first, "one"), (second, "two")):
        append(writer.main, writer.prompt() + writer.text(words))
    # From the files, then from the log.
    for _ in range(2):
        assert "two" in call(env, "tail", "11111111-9").stdout
        assert "one" in call(env, "attach", "11111111-2").stdout
    many = call(env, "tail", "1111")
    assert many.returncode == 2
    assert first.session in many.stderr
    assert second.session in many.stderr
    for nothing in ("2222", "", "*", "../x", "11111111-9*"):
        answer = call(env, "tail", nothing)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert "run or session not found" in answer.stderr


async def test_whether_a_lease_is_held_can_be_seen_without_acquiring_it(tmp_path: Path) -> None:
    assert not is_held(tmp_path, "one")
    leases = FileLeases(tmp_path)
    await leases.acquire("one")
    assert is_held(tmp_path, "one")
    assert not is_held(tmp_path, "../one")
    await leases.close(ended=False)
    assert not is_held(tmp_path, "one")
    assert await FileLeases(tmp_path).abandoned() == ["one"]


def test_a_tree_shows_who_is_at_work(env: dict[str, str], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    task = {"description": "look", "prompt": "Look.", "subagent_type": "Explore"}
    spawn = {"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": task}
    append(writer.main, writer.prompt() + writer.answer([spawn]))
    child = writer.child("a1", "toolu_1")
    append(child, writer.line("user", {"role": "user", "content": "Look."}, "a1"))
    bash = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": "make"}}
    append(child, writer.answer([bash], "a1"))
    for name in (writer.session, "1111"):
        root = json.loads(call(env, "tree", "--json", name).stdout)
        assert [root["status"], root["children"][0]["status"]] == ["working", "working"]
    ago = time.time() - 600
    for path in (writer.main, child):
        os.utime(path, (ago, ago))
    root = json.loads(call(env, "tree", "--json", writer.session).stdout)
    assert root["children"][0]["status"] == "orphaned"


def test_a_clock_that_is_ahead_keeps_no_session_alive(env: dict[str, str], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    ahead = writer.text("one").replace(b'"timestamp":"2026-', b'"timestamp":"2999-')
    append(writer.main, writer.prompt() + ahead)
    ago = time.time() - 600
    os.utime(writer.main, (ago, ago))
    (row,) = listed(env)
    assert row["status"] == "done"
    assert row["updated"] // 1000 == int(ago)


@pytest.mark.parametrize("words", [["tail"], ["tail", "--json"], ["attach"]])
def test_who_prints_for_nobody_stops(words: list[str], env: dict[str, str], tmp_path: Path) -> None:
    """The session says nothing more, so only the pipe itself can tell."""
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt() + writer.text("one"))
    with subprocess.Popen(
        [UNBRAID, *words, writer.session],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as looking:
        assert looking.stdout is not None
        assert looking.stderr is not None
        while "one" not in (line := looking.stdout.readline()):
            assert line, looking.stderr.read()
        looking.stdout.close()
        assert looking.wait(60) == 0
        assert looking.stderr.read() == ""


@contextmanager
def watching(env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A watch while the block runs."""
    process = subprocess.Popen(
        [UNBRAID, "watch", "--no-page"], env=env, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_a_session_that_ended_unwatched_has_ended_at_the_next_look(
    env: dict[str, str], tmp_path: Path
) -> None:
    """Its process takes its entry away; or it was killed, and a process of that number is gone."""
    left, killed = Writer(tmp_path / "claude"), Writer(tmp_path / "claude", OTHER)
    sessions = tmp_path / "claude" / "sessions"
    sessions.mkdir()
    machine = Path("/etc/machine-id").read_text().strip()
    domain = f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"
    bash = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
    since = time.time_ns() // 1_000_000 + 1000  # after their lines
    for number, writer in enumerate((left, killed)):
        append(writer.main, writer.prompt() + writer.text("one"))
        entry = {"pid": os.getpid() if number == 0 else 1, "sessionId": writer.session}
        entry |= {"status": "idle", "statusUpdatedAt": since}
        (sessions / f"{number}.json").write_text(json.dumps(entry))
    append(killed.main, killed.answer([bash]))
    (sessions / "1.json").write_text(json.dumps(entry | {"status": "waiting"}))

    with watching(env):
        found = blocked_until(
            lambda: listed(env), lambda rows: {row["status"] for row in rows} == {"waiting"}
        )
        rows = {row["run"]: row["waiting"] for row in found}
        assert rows[left.session] == {"for": "prompt", "since": since}
        assert rows[killed.session]["for"] == "permission"
        blocked_until(
            lambda: call(env, "tree", "--json", killed.session).stdout,
            lambda tree: tree.count('"tool":"Bash"') == 1,
        )
    (sessions / "0.json").unlink()
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    (sessions / "1.json").write_text(json.dumps({**entry, "pid": gone.pid, "pidDomain": domain}))
    for writer in (left, killed):
        ago = time.time() - 10
        os.utime(writer.main, (ago, ago))
    ended = {left.session: "done", killed.session: "orphaned"}
    # By its files, at once; by a watch, soon; and then by the log.
    assert {row["run"]: row["status"] for row in listed(env)} == ended
    with watching(env) as watch:
        assert watch.stderr is not None
        table = [watch.stderr.readline().split() for _ in ended]
        assert {words[1]: words[2] for words in table} == ended
        for writer in (left, killed):
            cat = partial(call, env, "cat", "--json", writer.session)
            blocked_until(cat, lambda done: '"done"' in done.stdout)
    assert {row["run"]: row["status"] for row in listed(env)} == ended
    for run, status in ended.items():
        assert json.loads(call(env, "tree", "--json", run).stdout)["status"] == status


@pytest.mark.parametrize("status", ["idle", "waiting", "busy"])
def test_what_a_process_says_is_shown_of_a_session_that_nobody_follows(
    status: str, env: dict[str, str], tmp_path: Path
) -> None:
    """However long ago it has said anything; and as soon as its process is gone."""
    writer = Writer(tmp_path / "claude")
    bash = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
    append(writer.main, writer.prompt() + writer.text("one"))
    if status != "idle":
        append(writer.main, writer.answer([bash]))
    for minutes in (0, 10):
        ago = time.time() - minutes * 60
        os.utime(writer.main, (ago, ago))
        wanted = {"busy": "working"}.get(status, "waiting")
        entry = {"pid": os.getpid(), "sessionId": writer.session, "status": status}
        entry |= {"statusUpdatedAt": time.time_ns() // 1_000_000 + 1000}
        entry |= {"waitingFor": "permission prompt"} if status == "waiting" else {}
        sessions = tmp_path / "claude" / "sessions"
        sessions.mkdir(exist_ok=True)
        (sessions / "1.json").write_text(json.dumps(entry))
        (row,) = listed(env)
        tree = json.loads(call(env, "tree", "--json", writer.session).stdout)
        export = json.loads(call(env, "export", "--json", writer.session).stdout)
        assert [each["status"] for each in (row, tree, export)] == [wanted] * 3
        found = [each["waiting"] and each["waiting"]["for"] for each in (row, tree)]
        assert found == [{"idle": "prompt", "waiting": "permission"}.get(status)] * 2
