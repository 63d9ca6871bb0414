"""What a person sees when they type `unbraid`: in a terminal, and elsewhere."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
from pathlib import Path

import pytest
from rich.console import Console

from tests.access import LINK
from tests.polling import PATIENCE_SECONDS
from tests.record.run.agents import UNBRAID
from tests.record.run.terminal import terminal
from tests.record.watch.writing import HOURS_AGO, Writer, append
from unbraid.cli import table
from unbraid.cli.table import NEWEST, SessionTable
from unbraid.log import RunSummary, SqliteLog
from unbraid.record.sessions.stored_sessions import StoredSessionList

SESSIONS = 30


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    for number in range(SESSIONS):
        name = f"00000000-0000-4000-8000-{number:012}"
        writer = Writer(tmp_path / "claude", name, timestamp=HOURS_AGO)
        title = f"\x1b]0;evil\x07 job {number}"
        append(writer.main, writer.prompt(title) + writer.text("Done."))
        os.utime(writer.main, (1e9 + number, 1e9 + number))
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "UNBRAID_HOME": str(tmp_path / "unbraid"),
    }


async def until(stream: asyncio.StreamReader, words: bytes) -> bytes:
    """What is printed up to some words."""
    shown = b""
    async with asyncio.timeout(60):
        while words not in shown:
            data = await stream.read(4096)
            assert data, shown
            shown += data
    return shown


async def test_lines_where_nobody_draws(env: dict[str, str]) -> None:
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--port", "0", env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    shown = await until(process.stderr, b"30 sessions, 60 tokens\n")
    process.send_signal(signal.SIGINT)
    rest = await process.stderr.read()
    assert await process.wait() == 0
    assert re.search(rb"unbraid: %b\n" % LINK.encode(), shown + rest)
    listed = re.findall(rb"unbraid: (\S+)  done  1  2  /work  (.+)\n", shown)
    # Newest first, and only the newest.
    newest = range(SESSIONS - 1, SESSIONS - 1 - len(listed), -1)
    assert [int(run[-12:]) for run, _ in listed] == list(newest)
    assert len(listed) == 12
    assert listed[0][1] == b"\\x1b]0;evil\\x07 job 29"


async def test_a_table_that_fills_in_a_terminal(env: dict[str, str]) -> None:
    async with terminal([UNBRAID, "watch", "--no-page"], env) as screen:
        await screen.until("30 sessions, 60 tokens")
        screen.type("\x03")
        assert await screen.end() == 0
        shown = screen.drawn
    # The last frame stays: the newest sessions under their heads.
    last = shown[shown.rindex(b"RUN") :].decode()
    runs = re.findall(r"00000000-0000-4000-8000-0000000000(\d\d)", last)
    assert runs == [f"{number:02}" for number in range(29, 17, -1)]
    assert "\\x1b]0;evil\\x07 job 29" in last
    assert b"\x1b]0;" not in shown


async def test_the_address_of_the_page_comes_last(env: dict[str, str]) -> None:
    async with terminal([UNBRAID, "watch", "--port", "0"], env) as screen:
        await screen.until("30 sessions, 60 tokens")
        await screen.until("/login?code=")
        screen.type("\x03")
        assert await screen.end() == 0
        shown = screen.drawn
    assert shown.rindex(b"/login?code=") > shown.rindex(b"RUN")


async def test_how_far_it_is(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.db")
    stored = StoredSessionList(log, {}, tmp_path)
    overview, screen = SessionTable(stored), Console(file=io.StringIO(), width=120, record=True)
    screen.print(overview.draw())
    stored.listed, stored.total = 10, 40
    for _ in range(20):
        overview.add(RunSummary("r", title="first"))  # the same session, in many folders
    screen.print(overview.draw())
    stored.listed = 40
    screen.print(overview.draw())
    await log.close()
    looking, reading, *rest = screen.export_text().split("Reading the history")
    assert "looking" in reading
    assert "first" not in looking
    assert "10 of 40 sessions" in rest[0]
    assert rest[0].rstrip().endswith("20 sessions, 0 tokens")


async def test_what_is_seen_first_is_waited_for_unless_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await SqliteLog.open(tmp_path / "log.db")
    full, few, late = (SessionTable(StoredSessionList(log, {}, tmp_path)) for _ in range(3))
    monkeypatch.setattr(table, "FIRST_SESSIONS_TIMEOUT_SECONDS", 3600)
    async with asyncio.timeout(PATIENCE_SECONDS):
        waiting = asyncio.create_task(full.filled())
        for _ in range(NEWEST - 1):
            await asyncio.to_thread(full.add, RunSummary("r"))
        assert not waiting.done()
        await asyncio.to_thread(full.add, RunSummary("r"))
        await waiting
        with few:
            few.add(RunSummary("r"))
        await few.filled()  # there are no more
        monkeypatch.setattr(table, "FIRST_SESSIONS_TIMEOUT_SECONDS", 0)
        await late.filled()
    await log.close()
