"""A sub-agent's words are in the log while it still works: it does not end before they are."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.block_rows import CLEAN
from tests.record.run.agents import UNBRAID, arguments, log_path, logged, play, verdict
from tests.record.watch.watching import watched
from unbraid.log import SqliteLog
from unbraid.testing import Script, Spawn, bash, say

pytestmark = pytest.mark.cli

WAYS = [
    ("2.0.76", "pipe"),
    ("2.1.325", "run"),
    ("2.1.325", "pipe"),
    ("opencode 1.2.27", "run"),
    ("opencode 1.18.33", "pipe"),
]
GO = "[[main]] Go."


def patient() -> Script:
    """A helper that works until somebody has seen that it does."""
    return Script(
        {
            "main": [say("A helper.", Spawn("kid", background=False)), say("It is back.")],
            "kid": [
                say("kid works", bash("until [ -e seen ]; do sleep 0.05; done")),
                say("kid is done"),
            ],
        }
    )


async def seen(home: Path) -> None:
    """Wait until the helper's words and its call are in the log; on a slow machine the call may be
    first (unbraid/timings.py)."""
    log = await SqliteLog.open(log_path(home))
    try:
        wanted = {b"kid works", b"until [ -e seen ]"}
        async for batch in log.follow_all(0):
            for entry in batch:
                if b'"stream_id":1' in entry.data:
                    wanted -= {words for words in wanted if words in entry.data}
            if not wanted:
                break
    finally:
        await log.close()


async def seen_by_all(home: Path, *homes: Path) -> None:
    """Let the helper end when every log has it."""
    await asyncio.gather(*map(seen, homes))
    (home / "app" / "seen").touch()


@pytest.mark.parametrize(("version", "way"), WAYS)
async def test_words_are_logged_while_their_agent_works(
    version: str, way: str, tmp_path: Path
) -> None:
    """By a pipe, or by a run and by a watch beside it that has a log of its own."""
    piped, apart = way == "pipe", tmp_path / "apart"
    args = arguments(version, GO, lines=piped)
    prefix = (UNBRAID, "run", "--") if way == "run" else ()
    suffix = (UNBRAID, "pipe") if piped else ()
    homes = (tmp_path,) if piped else (tmp_path, apart)
    async with nullcontext() if piped else watched(tmp_path, apart=apart):
        # Whoever is not seen works for ever: then it is the time limit of `play` that fails.
        seeing = asyncio.create_task(seen_by_all(tmp_path, *homes))
        try:
            recording = await play(version, patient(), tmp_path, args, prefix=prefix, suffix=suffix)
            assert seeing.done()
        finally:
            seeing.cancel()
            await asyncio.gather(seeing, return_exceptions=True)
    assert recording.exit == 0
    for home in homes:
        (events,) = (await logged(home)).values()
        found = verdict(recording, events, tmp_path / "recording")
        assert found._replace(disordered=[]) == CLEAN
