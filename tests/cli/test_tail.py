"""`unbraid tail` as it really runs: runs told apart, half lines shown, ended by Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.record.run.agents import UNBRAID
from tests.record.run.test_passing import start
from tests.tui.screens import opening, said
from unbraid.cli import EXIT_CODES, main
from unbraid.errors import LogError
from unbraid.log import SqliteLog
from unbraid.testing.sample_runs import sample_run


async def test_everything_that_is_said_under_the_run_it_belongs_to(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.db")
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "tail", "--since", "0",
        env=os.environ | {"UNBRAID_HOME": str(tmp_path)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    try:
        async with asyncio.timeout(60):
            for number, run in enumerate(("one", "two", "one"), 1):
                before = await log.run(run)
                events = [] if before else opening()
                first = before.last_seq + 1 if before else 3
                await log.append(run, [*events, *said(0, [f"words {number}\n"], first=first)])
            await log.append("one", said(0, ["half a line"], first=5))
            lines: list[str] = []
            while not lines or "half a line" not in lines[-1]:
                lines.append((await process.stdout.readline()).decode().rstrip())
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 130
            assert await process.stderr.read() == b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await log.close()
    shown = [line.partition("│ ")[2] or line for line in lines]
    assert shown == [
        "── one", "▶ main", "words 1",
        "── two", "▶ main", "words 2",
        "── one", "words 3", "half a line",
    ]  # fmt: skip


@pytest.mark.parametrize("argv", [("tail",), ("tail", "one"), ("attach", "one")], ids=" ".join)
@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
async def test_a_log_that_goes_away_is_missed(
    argv: tuple[str, ...], replaced: bool, tmp_path: Path
) -> None:
    path = tmp_path / "unbraid" / "log.db"
    log = await SqliteLog.open(path)
    await log.append("one", [*opening(), *said(0, ["some words\n"], first=3)])
    process = await start(tmp_path, *argv, *(["--since", "0"] if len(argv) == 1 else []))
    assert process.stdout is not None and process.stderr is not None
    async with asyncio.timeout(60):
        while b"some words" not in await process.stdout.readline():
            pass
        await log.close()
        path.parent.rename(tmp_path / "elsewhere")
        if replaced:
            await (await SqliteLog.open(path)).close()
        err = await process.stderr.read()
        assert await process.wait() == 4
    assert err == f"unbraid: {path}: the log was deleted or replaced meanwhile\n".encode()


@pytest.mark.parametrize(
    "argv", [("tail",), ("tail", "--json"), ("attach",), ("cat",), ("tree",), ("export",)],
    ids=" ".join,
)  # fmt: skip
async def test_an_event_whose_bytes_were_overwritten_is_named_with_what_helps(
    argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path))
    path = tmp_path / "log.db"
    log = await SqliteLog.open(path)
    await log.append("one", sample_run(["some words"]))
    await log.close()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"delta":"some', b'"delta"!"some'))
    assert path.read_bytes() != whole
    result = await asyncio.to_thread(CliRunner().invoke, main, [*argv, "one"])
    assert result.exit_code == EXIT_CODES[LogError], result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("unbraid: run one: event 3 is damaged in the log")
    assert "`unbraid doctor --repair`" in line
    assert "some words" not in result.output
    # The other advice, for who has no shared log.
    pruned = await asyncio.to_thread(CliRunner().invoke, main, ["prune", "--run", "one"])
    assert pruned.exit_code == 0 and "unbraid prune --run one" in line
