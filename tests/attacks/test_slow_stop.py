"""Attack: a session writes so much that its watch cannot be stopped.

Ctrl-C used to wait until all of the backlog was recorded, which took more than 20 seconds. A watch
that is stopped takes a last look for about a second, and then stops where it is: what is not
recorded, the next start records. The tests count what was recorded, not seconds.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.record.watch.writing import SESSION, Writer, append
from unbraid import events as e
from unbraid.log import Log, open_log
from unbraid.machine import Machine
from unbraid.record.watcher import Watcher, watch_until

LINES = 8_000
PADDING = "x" * 900


async def watch_to(log: Log, home: Path, words: str, *, stop_seconds: float) -> list[str]:
    """Watches until these words are in the log and returns the warnings."""
    env = {"HOME": str(home), "UNBRAID_HOME": str(home / "u")}
    leases, until, warnings = log.leases(), asyncio.Event(), list[str]()
    watcher = Watcher(log, leases, env, warn=warnings.append)
    watching = asyncio.create_task(watch_until(watcher, until, stop_seconds=stop_seconds))
    async for batch in log.follow(SESSION):
        if any(words.encode() in entry.data for entry in batch):
            break
    until.set()
    await watching
    await leases.close(ended=False)
    return warnings


async def said(log: Log) -> list[str]:
    """Returns what the log has of the agent's words."""
    words, after = list[str](), 0
    while page := await log.read(SESSION, after):
        words += [entry.event.delta for entry in page if isinstance(entry.event, e.Text)]
        after = page[-1].seq
    return words


async def test_a_backlog_is_left_for_the_next_start(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    lines = [writer.text(f"word {number}. {PADDING}") for number in range(LINES)]
    append(writer.main, writer.prompt() + b"".join(lines))
    async with asyncio.timeout(100):
        log = await open_log(tmp_path / "u" / "log.db")
        assert await watch_to(log, tmp_path, "word 0.", stop_seconds=0) == []
        first = await said(log)
        assert 0 < len(first) < LINES
        assert await watch_to(log, tmp_path, f"word {LINES - 1}.", stop_seconds=100) == []
        assert await said(log) == writer.said
        await log.close()


async def test_what_was_just_said_is_recorded_before_the_stop(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    append(writer.main, writer.prompt() + writer.text("word 0."))
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    async with asyncio.timeout(100):
        log = await open_log(tmp_path / "u" / "log.db")
        leases, until = log.leases(), asyncio.Event()
        watcher = Watcher(log, leases, env)
        watching = asyncio.create_task(watch_until(watcher, until, stop_seconds=100))
        await watcher.ready.wait()
        append(writer.main, writer.text("Good bye."))
        until.set()
        await watching
        await leases.close(ended=False)
        assert await said(log) == writer.said
        await log.close()


async def test_an_import_stops_in_the_middle_and_is_continued(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    lines = [writer.text(f"word {number}. {PADDING}") for number in range(LINES)]
    append(writer.main, writer.prompt() + b"".join(lines))
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    async with asyncio.timeout(100):
        async with Machine(env=env) as machine, machine.session_import():
            async for _ in machine.log.follow(SESSION):
                break
        async with Machine(env=env) as machine:
            assert 0 < len(await said(machine.log)) < LINES
            await machine.open(SESSION)
            assert await said(machine.log) == writer.said
