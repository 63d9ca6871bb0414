"""A watch that is killed at any moment goes on from its place: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, clean, cli_of, log_path, logged, play, verdict
from tests.record.watch.writing import SESSION, Writer, append
from unbraid import events as e
from unbraid.log import Entry, SqliteLog
from unbraid.testing import Script, Spawn, bash, say

KILLS = 25
KILLS_BESIDE_OPENCODE = 5
CALL = "toolu_1"
AGENT = "a1"


@pytest.mark.timeout(300)
async def test_many_kills(tmp_path: Path) -> None:
    dice = random.Random(7)
    config = tmp_path / "claude"
    env = environment(tmp_path)
    writer = Writer(config)
    append(writer.main, writer.prompt())
    spawn = {"type": "tool_use", "id": CALL, "name": "Agent", "input": {"prompt": "Look."}}
    append(writer.main, writer.answer([spawn]))
    child = writer.child(AGENT, CALL)
    log = await SqliteLog.open(log_path(tmp_path))
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


async def test_a_run_whose_files_are_gone_is_ended(tmp_path: Path) -> None:
    config = tmp_path / "claude"
    env = environment(tmp_path)
    gone, here = Writer(config), Writer(config, "00000000-0000-4000-8000-000000000002")
    append(gone.main, gone.text("one"))
    append(here.main, here.text("one"))
    log = await SqliteLog.open(log_path(tmp_path))
    first = await asyncio.create_subprocess_exec(UNBRAID, "watch", "--no-page", env=env)
    for writer in (gone, here):
        await heard(log, reached(1), writer.session)
    first.kill()
    await first.wait()
    gone.main.unlink()
    second = await asyncio.create_subprocess_exec(UNBRAID, "watch", "--no-page", env=env)
    await heard(log, lambda entry: entry.type == "done")
    append(here.main, here.text("two"))
    await heard(log, lambda entry: b"two" in entry.data, here.session)
    second.terminate()
    assert await second.wait() == 0
    ended, going = await log.run(gone.session), await log.run(here.session)
    assert ended is not None and going is not None
    assert (ended.status, going.status) == ("done", "working")
    await log.close()


@pytest.mark.cli
async def test_opencode_goes_on_too(tmp_path: Path) -> None:
    """A watch that is killed again and again while agents of OpenCode's are at work, for long.

    The current one, for as long as it works: tests/redact/test_live_clis.py.
    """
    version = "1.2.27"
    # The next step is taken when one more watch was killed that had logged something.
    waits = [
        bash(f"until [ -e died-{n + 1} ]; do sleep 0.1; done") for n in range(KILLS_BESIDE_OPENCODE)
    ]
    steps = [say(f"Step {n}.", wait) for n, wait in enumerate(waits)]
    steps += [say(f"Step {n}.", bash(f"echo {n}")) for n in range(KILLS_BESIDE_OPENCODE, 15)]
    script = Script(
        {
            "main": [say("Both.", Spawn("slow"), Spawn("quick")), say("All are back.")],
            "slow": [*steps, say("There.")],
            "quick": [say("At once.")],
        },
        "slow-and-quick",
    )
    cli_of("opencode", version)
    env, kills = environment(tmp_path), 0
    log = await SqliteLog.open(log_path(tmp_path))

    def on_death() -> None:
        nonlocal kills
        kills += 1
        (tmp_path / "app" / f"died-{kills}").touch()

    killing = asyncio.create_task(watch_and_die(log, env, on_death))
    args = ["run", "--model", "scripted/one", "[[main]] Go."]
    recording = await play(f"opencode {version}", script, tmp_path, args, prefix=())
    killing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await killing
    last = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=env, stderr=asyncio.subprocess.PIPE
    )
    assert last.stderr is not None
    while b" tokens\n" not in await last.stderr.readline():
        pass
    last.terminate()
    assert await last.wait() == 0
    await log.close()
    ((_, events),) = (await logged(tmp_path)).items()
    assert kills >= KILLS_BESIDE_OPENCODE
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    clean(verdict(recording, events, tmp_path / "recording"))


async def watch_and_die(
    log: SqliteLog, env: Mapping[str, str], on_death: Callable[[], None], *options: str
) -> None:
    """Start a watch and kill it as soon as it has logged something, again and again."""
    since, argv = 0, (UNBRAID, "watch", "--no-page", *options)
    while True:
        process = await asyncio.create_subprocess_exec(*argv, env=env)
        try:
            async for batch in log.follow_all(since):
                since = batch[-1].cursor
                break
        finally:
            process.kill()
            await process.wait()
        on_death()


def environment(home: Path) -> dict[str, str]:
    """Where a watch of this home looks, and keeps its log."""
    env = {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / "claude")}
    env.pop("UNBRAID_HOME", None)
    env.pop("OPENCODE_DB", None)
    env["XDG_DATA_HOME"] = str(home / ".local" / "share")
    return env


def reached(seq: int) -> Callable[[Entry], bool]:
    """Whether an event is as late as that."""
    return lambda entry: entry.seq >= seq


async def heard(log: SqliteLog, what: Callable[[Entry], bool], run: str = SESSION) -> None:
    """Wait for an event."""
    async for batch in log.follow(run):
        if any(map(what, batch)):
            return
