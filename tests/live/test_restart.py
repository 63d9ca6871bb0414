"""A watch that is killed at any moment goes on from its place: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from pathlib import Path

from tests.live.agents import UNBRAID, logged
from tests.live.writing import SESSION, Writer, append
from unbraid import events as e
from unbraid.log import Entry, SqliteLog

KILLS = 50
CALL = "toolu_1"
AGENT = "a1"


async def test_fifty_kills(tmp_path: Path) -> None:
    dice = random.Random(7)
    config = tmp_path / "claude"
    env = {**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(config)}
    env.pop("UNBRAID_HOME", None)
    env["XDG_DATA_HOME"] = str(tmp_path / ".local" / "share")
    writer = Writer(config)
    append(writer.main, writer.prompt())
    spawn = {"type": "tool_use", "id": CALL, "name": "Agent", "input": {"prompt": "Look."}}
    append(writer.main, writer.answer([spawn]))
    child = writer.child(AGENT, CALL)
    path = tmp_path / ".local" / "share" / "unbraid" / "log.db"
    log = await SqliteLog.open(path)
    for kill in range(KILLS):
        process = await asyncio.create_subprocess_exec(UNBRAID, "watch", "--no-page", env=env)
        summary = await log.run(SESSION)
        last_seq = summary.last_seq if summary is not None else 0
        for number in range(dice.randrange(3, 30)):
            agent = AGENT if dice.random() < 0.5 else None
            data = writer.text(f"{kill}.{number} {agent or 'main'}", agent)
            cut = dice.randrange(len(data))
            target = child if agent else writer.main
            append(target, data[:cut])
            await asyncio.sleep(0)
            append(target, data[cut:])
        # When it has done a little, or at any moment after that, or before it does anything.
        await heard(log, reached(last_seq + dice.randrange(4)))
        await asyncio.sleep(dice.random() * 0.02)
        process.kill()
        await process.wait()
    last = await asyncio.create_subprocess_exec(UNBRAID, "watch", "--no-page", env=env)
    append(writer.main, writer.text("the end"))
    await heard(log, lambda entry: b"the end" in entry.data)
    last.terminate()
    assert await last.wait() == 0
    await log.close()
    ((run, events),) = (await logged(tmp_path)).items()
    assert run == SESSION
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    texts = [event for event in events if isinstance(event, e.Text)]
    assert sorted(event.delta for event in texts) == sorted(writer.said)
    streams = {event.stream_id for event in texts}
    assert streams == {0, 1}
    assert all((event.stream_id == 1) == event.delta.endswith(AGENT) for event in texts)
    for stream in streams:
        # Each agent's words in the order in which it said them.
        words = [event.delta for event in texts if event.stream_id == stream]
        assert words == [said for said in writer.said if said.endswith(AGENT) == (stream == 1)]


def reached(seq: int) -> Callable[[Entry], bool]:
    """Whether an event is as late as that."""
    return lambda entry: entry.seq >= seq


async def heard(log: SqliteLog, what: Callable[[Entry], bool]) -> None:
    """Wait for an event."""
    async for batch in log.follow(SESSION):
        if any(map(what, batch)):
            return
