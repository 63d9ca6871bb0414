"""`tail --redact` and `top --redact` beside real agents whose log is written in clear."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, cli_of, log_path, play
from tests.redact.secret import SEEN, bits_in, leaks
from tests.redact.test_live_clis import FLEET, GO, PARTIAL, everything_once
from tests.tui.tmux import terminal
from unbraid import events as e
from unbraid.testing import assert_fleet
from unbraid.testing.launch import claude_launch

pytestmark = pytest.mark.cli


async def tailed(process: asyncio.subprocess.Process) -> bytes:
    """What it prints until the run is over."""
    assert process.stdout is not None
    printed = b""
    while b'"type":"done"' not in printed:
        line = await process.stdout.readline()
        assert line
        printed += line
    process.terminate()
    await process.wait()
    return printed


@pytest.mark.parametrize(
    ("version", "args"),
    [
        ("2.1.325", PARTIAL),
        ("opencode 1.18.33", ["run", "--model", "scripted/one", GO]),
    ],
)
async def test_no_bit_of_a_key_is_shown(version: str, args: list[str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    launch = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", home)
    async with asyncio.timeout(120):
        tail = await asyncio.create_subprocess_exec(
            UNBRAID, "tail", "--json", "--redact", "--since", "0", env=launch.env,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        top = [UNBRAID, "top", "--no-watch", "--redact"]
        async with terminal(top, launch.env, home, (160, 50)) as view:
            printing = asyncio.create_task(tailed(tail))
            recording = await play(version, FLEET, home, args)
            printed = await printing
            seen = await view.until(f"Both of us had {SEEN}, and that is all.")
    assert leaks(log_path(home).parent), "the log itself has it"
    for shown in (printed, seen.encode()):
        assert not bits_in(shown)
    lines = [line.removesuffix(b"\n") for line in printed.splitlines()]
    events = [e.decode_event(line) for line in lines]
    assert_fleet(events)
    everything_once(recording, events, tmp_path)
