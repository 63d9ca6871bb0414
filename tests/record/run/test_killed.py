"""An `unbraid run` that is killed, and the session that goes on: nothing is logged twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tests.block_rows import logged_rows
from tests.record.run.agents import (
    TIMEOUT_SECONDS,
    UNBRAID,
    arguments,
    cli_of,
    log_path,
    logged,
    play,
)
from unbraid.log import SqliteLog
from unbraid.testing import Script, ScriptedModel, Spawn, assert_fleet, bash, say
from unbraid.testing.launch import claude_launch, opencode_launch
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

FIRST = ["First, a helper.", "a works", "a is done", "First answer."]
SECOND = ["Second, another.", "b works"]
SLOW = say("b is never done. " * 200, chunk_chars=8, chunk_delay_seconds=0.05)
SCRIPT = Script(
    {
        "main": [
            say(FIRST[0], Spawn("a", background=False)),
            say(FIRST[3]),
            say(SECOND[0], Spawn("b", background=False)),
            # A Claude Code of 2.1 first answers for itself what it had left open.
            *[say("Third answer.")] * 2,
        ],
        "a": [say(FIRST[1], bash("echo a")), say(FIRST[2])],
        "b": [say(SECOND[1], bash("echo b")), SLOW],
    },
    "killed",
)


async def killed(version: str, home: Path, model: ScriptedModel) -> None:
    """The second turn, with unbraid before it, and both of them dead in the middle."""
    name, _, number = version.rpartition(" ")
    make = opencode_launch if name else claude_launch
    args = arguments(version, "--continue", "two please")
    launch = make(cli_of(name or "claude", number), model.url, home, args)
    child = await Child.start([UNBRAID, "run", "--", *launch.argv], launch.env, launch.cwd)
    try:
        await model.reached("b", 1, chunks=10)
        await heard(home, *SECOND)
        child.kill()
        await child.wait()
    finally:
        await child.stop()


async def heard(home: Path, *texts: str) -> None:
    """Wait until these words are in the log."""
    missing = {text.encode() for text in texts}
    log = await SqliteLog.open(log_path(home))
    try:
        async for batch in log.follow_all(0):
            missing = {text for text in missing if not any(text in e.data for e in batch)}
            if not missing:
                return
    finally:
        await log.close()


# What was logged before is logged once in either case: the second turn, of which the run is killed.
@pytest.mark.parametrize(
    ("version", "known"),
    [("opencode 1.18.33", False), ("2.0.76", False), ("2.1.325", False), ("2.1.325", True)],
    ids=lambda value: value if isinstance(value, str) else f"history {'' if value else 'un'}known",
)
async def test_what_comes_after_records_nothing_again(
    version: str, known: bool, tmp_path: Path
) -> None:
    prefix = (UNBRAID, "run", "--") if known else ()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        with ScriptedModel(SCRIPT) as model:
            first = arguments(version, "[[main]] one")
            await play(version, SCRIPT, tmp_path, first, prefix=prefix, model=model)
            await killed(version, tmp_path, model)
            third = arguments(version, "--continue", "three please")
            await play(version, SCRIPT, tmp_path, third, model=model)
    runs = await logged(tmp_path)
    for events in runs.values():
        assert_fleet(events)
    times = Counter(words for events in runs.values() for _, kind, words in logged_rows(events))
    assert {text: times[text] for text in FIRST} == dict.fromkeys(FIRST, int(known))
    assert {text: times[text] for text in SECOND} == dict.fromkeys(SECOND, 1)
    assert times["Third answer."] == 1
