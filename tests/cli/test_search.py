"""`unbraid search` on a screen of 80 columns, and in a pipe."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from click.testing import CliRunner
from rich.cells import cell_len

from tests.record.run.agents import UNBRAID
from tests.record.run.terminal import terminal
from tests.record.watch.writing import Writer, append
from unbraid.cli import main
from unbraid.log import SqliteLog
from unbraid.testing.log_contract import sample_run

STYLE = re.compile(r"\x1b\[[0-9;]*m")
LONG = "The needle is " + "in a haystack of words that go on and on " * 8
WIDE = "針は干し草の山の中 needle に隠れている、" * 6
RUN = "0b1f3a52-7c43-4d0e-9c7e-2f6f0a1b2c3d"


async def filled(home: Path) -> dict[str, str]:
    """A log with two runs, and a session that is not in it."""
    log = await SqliteLog.open(home / "unbraid" / "log.db")
    await log.append(RUN, sample_run([LONG]))
    await log.append("wide", sample_run([WIDE]))
    await log.close()
    writer = Writer(home / "claude")
    append(writer.main, writer.prompt("Find the needle.") + writer.text("No needle."))
    return {
        **os.environ,
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "UNBRAID_HOME": str(home / "unbraid"),
    }


async def test_no_line_is_longer_than_the_screen(tmp_path: Path) -> None:
    env = await filled(tmp_path)
    for columns in (80, 44):
        async with terminal([UNBRAID, "search", "needle"], env, columns=columns) as screen:
            assert await screen.end() == 0
        lines = STYLE.sub("", screen.drawn.decode()).split("\r\n")
        assert max(map(cell_len, lines)) <= columns
        places = [line for line in lines if line and not line.startswith("    ")]
        assert {place.split()[0] for place in places} >= {f"{RUN}/0", "wide/0"}
        # Words are whole, and all there.
        said = " ".join(line.strip() for line in lines if line.startswith("    "))
        assert "in a haystack of words that go on and on in a haystack of words" in said


async def test_in_a_pipe_words_are_on_one_line(tmp_path: Path) -> None:
    env = await filled(tmp_path)
    result = await asyncio.to_thread(CliRunner(env=env).invoke, main, ["search", "needle"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert len(lines) % 2 == 0
    assert all(line.startswith("    ") for line in lines[1::2])


async def test_nothing_found_is_said_beside_the_places(tmp_path: Path) -> None:
    env = await filled(tmp_path)
    for options, out in (((), b""), (("--json",), b"[]\n")):
        process = await asyncio.create_subprocess_exec(
            UNBRAID, "search", *options, "zebra", env=env,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        shown = await process.communicate()
        assert shown == (out, b"" if options else b"No results.\n")
        assert process.returncode == 0
