"""A number that cannot be meant is refused with a sentence, wherever a number is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.record.run.test_passing import start
from unbraid.cli import COMMANDS, main
from unbraid.errors import CallerError
from unbraid.log import SqliteLog
from unbraid.orchestrate.roster import Roster
from unbraid.serve import ServeConfig
from unbraid.testing.log_contract import sample_run

NEVER = ("nan", "NaN", "inf", "-inf", "1e400", "-1", "1" + "0" * 40)
NUMBERS = (click.types.IntParamType, click.types.FloatParamType)


def options() -> Iterator[tuple[str, str]]:
    """Every option of every command that takes a number."""
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        for option in command.params if command else ():
            if isinstance(option.type, NUMBERS):
                yield name, option.opts[0]


@pytest.mark.parametrize(("command", "option"), list(options()), ids=" ".join)
def test_no_option_takes_what_cannot_be(command: str, option: str) -> None:
    for number in NEVER:
        done = CliRunner().invoke(main, [command, option, number])
        assert done.exit_code == 2, number
        assert f"Invalid value for '{option}'" in done.output


def test_there_are_such_options() -> None:
    assert {("serve", "--keep-days"), ("ask", "--dollars"), ("demo", "--speed")} <= set(options())


@pytest.mark.parametrize("command", ["attach", "stop"])
@pytest.mark.parametrize("stream", ["nan", "-1", "²", "1e3", "1" + "0" * 40])
def test_no_stream_has_such_a_number(command: str, stream: str) -> None:
    done = CliRunner().invoke(main, [command, f"r/{stream}"])
    assert done.exit_code == 2
    assert f"not a stream number: {stream}" in done.output


async def test_a_stream_that_a_run_does_not_have(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    await log.append("r", sample_run(["words"]))
    await log.close()
    process = await start(tmp_path, "attach", "r/7")
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert (process.returncode, out, err) == (2, b"", b"unbraid: run r has no stream 7\n")


@pytest.mark.parametrize("setting", ["keep_days", "keep_bytes"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1, 10**40])
def test_no_server_is_set_to_what_cannot_be(setting: str, number: float) -> None:
    with pytest.raises(CallerError, match=f"{setting}: from 0 to"):
        ServeConfig(**{setting: number})  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", ["turns", "children", "tokens", "dollars", "seconds"])
@pytest.mark.parametrize("number", [".nan", ".inf", "-1", "0", "1" + "0" * 40])
def test_no_file_of_an_agent_sets_what_cannot_be(limit: str, number: str, tmp_path: Path) -> None:
    file = tmp_path / "agents" / "x.md"
    file.parent.mkdir()
    file.write_text(f"---\nname: x\ndescription: d\nlimits:\n  {limit}: {number}\n---\nDo it.\n")
    (problem,) = Roster.read(tmp_path, tmp_path).problems
    assert "limits" in str(problem) and limit in str(problem)
