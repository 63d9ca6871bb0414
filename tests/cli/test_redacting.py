"""`--redact` of those who only look: what the log has unmasked is masked as it is shown."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hub.test_redact import cut
from tests.live.secret import BITS, KEY, SEEN, leaks
from tests.live.test_passing import start
from tests.live.writing import SESSION, Writer, append
from unbraid.log import SqliteLog
from unbraid.log.contract import story

TEXT = f"I use {KEY}, and it works."
SHOWN = f"I use {SEEN}, and it works."


async def written(home: Path) -> None:
    """A run whose agent told a key bit by bit, in a log without masks."""
    log = await SqliteLog.open(home / "unbraid" / "log.db")
    await log.append("r", story(cut(TEXT, list(range(0, 100, 3)))))
    await log.close()
    assert leaks(home / "unbraid")


@pytest.mark.parametrize("argv", [("tail", "r"), ("attach", "r"), ("attach", "r/0")], ids=" ".join)
async def test_a_key_in_bits_is_masked_as_it_is_shown(
    argv: tuple[str, ...], tmp_path: Path
) -> None:
    await written(tmp_path)
    for options, seen in (((), TEXT), (("--redact",), SHOWN)):
        process = await start(tmp_path, *argv, *options, COLUMNS="200")
        async with asyncio.timeout(60):
            out, err = await process.communicate()
        assert (process.returncode, err) == (0, b"")
        assert seen.encode() in out
        assert bool([bit for bit in BITS if bit in out]) == (not options)


async def test_events_of_all_runs_are_masked(tmp_path: Path) -> None:
    await written(tmp_path)
    process = await start(tmp_path, "tail", "--json", "--since", "0", "--redact")
    assert process.stdout is not None
    events: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while not events or events[-1]["type"] != "done":
            events.append(json.loads(await process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        await process.wait()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert "".join(event.get("delta", "") for event in events) == SHOWN


@pytest.mark.parametrize("command", ["tail", "attach"])
async def test_a_session_of_the_past_is_stored_masked(command: str, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt(f"Go with {KEY}.") + writer.text(f"I use {KEY}."))
    os.utime(writer.main, (time.time() - 3600,) * 2)
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "COLUMNS": "200"}
    process = await start(tmp_path, command, SESSION, "--redact", **env)
    async with asyncio.timeout(60):
        out, _ = await process.communicate()
    assert f"I use {SEEN}.".encode() in out
    assert not leaks(tmp_path / "unbraid")


async def test_what_the_agents_own_cli_shows_is_not_taken_for_masked(tmp_path: Path) -> None:
    await written(tmp_path)
    process = await start(tmp_path, "attach", "r", "--resume", "--redact")
    out, err = await process.communicate()
    assert (out, process.returncode) == (b"", 2)
    assert b"--redact masks nothing there" in err
