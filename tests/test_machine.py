"""The parts of a machine, put together as every face has them."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from tests import polling
from tests.record.run.agents import UNBRAID
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import Writer, append
from tests.tui.tmux import terminal
from unbraid import Machine
from unbraid.errors import CallerError
from unbraid.events import Text
from unbraid.log import MemoryLog, RunSummary, SqliteLog, machine_log, opened_log
from unbraid.log.leases import FOLDER


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


@pytest.fixture
def writer(env: dict[str, str]) -> Writer:
    made = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    append(made.main, made.prompt("Count.") + made.text("one"))
    return made


async def until(machine: Machine, run: str, words: str) -> list[str]:
    """What the main agent has said in a run, as soon as that ends with some words."""
    said: list[str] = []
    async with asyncio.timeout(polling.PATIENCE_SECONDS):
        async for batch in machine.log.follow(run):
            events = [entry.event for entry in batch]
            said += [event.delta for event in events if isinstance(event, Text)]
            if said[-1:] == [words]:
                return said
    raise AssertionError("the run ended")


async def test_entering_opens_the_log_and_begins_nothing(
    env: dict[str, str], writer: Writer
) -> None:
    async with Machine(env=env) as machine:
        assert isinstance(machine.log, SqliteLog)
        assert await machine.log.run_names() == []
        assert await machine.controllers.everywhere() == {}
        made = {path.name.partition("-")[0] for path in machine.home.iterdir()}
        assert made == {machine_log(env).name}


async def test_a_machine_that_was_not_entered_says_so(env: dict[str, str]) -> None:
    with pytest.raises(CallerError, match="async with"):
        _ = Machine(env=env).log


async def test_its_log_may_be_anywhere(env: dict[str, str], writer: Writer, tmp_path: Path) -> None:
    async with Machine("memory:", env=env) as machine:
        assert isinstance(machine.log, MemoryLog)
        async with machine.watching():
            await until(machine, writer.session, "one")
    async with Machine(tmp_path / "elsewhere" / "some.db", env=env) as machine:
        await machine.open(writer.session)
        assert await machine.leases.acquire("r")
    assert (tmp_path / "elsewhere" / FOLDER / "r").exists()
    assert not machine_log(env).exists()


async def test_who_stops_watching_leaves_its_runs_to_the_next(
    env: dict[str, str], writer: Writer
) -> None:
    async with Machine(env=env) as machine, machine.watching():
        await until(machine, writer.session, "one")
        assert await machine.leases.acquire(writer.session)
    append(writer.main, writer.text("two"))
    async with Machine(env=env) as machine:
        assert await machine.leases.abandoned() == [writer.session]
        async with machine.watching():
            assert await until(machine, writer.session, "two") == ["one", "two"]


@pytest.mark.parametrize("command", ["top", "watch --port 0"])
async def test_no_face_ends_what_it_only_watched(
    command: str, env: dict[str, str], writer: Writer, tmp_path: Path
) -> None:
    async with (
        terminal([UNBRAID, *command.split()], env, tmp_path) as view,
        opened_log(env=env) as log,
    ):
        await polling.until(log.run_names, lambda found: writer.session in found)
        await view.type("q" if command == "top" else "C-c")
        await view.until("ended with 0")
        summary = await log.run(writer.session)
        assert summary is not None
        assert not summary.over
        assert await log.leases().abandoned() == [writer.session]


async def test_opens_a_session_by_as_much_of_its_name_as_it_takes(
    env: dict[str, str], writer: Writer
) -> None:
    async with Machine(env=env) as machine:
        run = await machine.open(writer.session[:6])
        assert (run.run, run.title) == (writer.session, "Count.")
        assert await machine.log.run_names() == [writer.session]
        with pytest.raises(CallerError):
            await machine.open("nobody")
        async with machine.following(run):
            append(writer.main, writer.text("two"))
            assert await until(machine, run.run, "two") == ["one", "two"]


async def test_lists_what_is_stored_and_warns_in_the_loop(
    env: dict[str, str], writer: Writer, tmp_path: Path
) -> None:
    (tmp_path / "broken.db").write_text("broken")
    env["OPENCODE_DB"] = str(tmp_path / "broken.db")
    found: list[RunSummary] = []
    warned: dict[str, threading.Thread] = {}
    async with Machine(env=env) as machine:
        machine.warn = lambda text: warned.update({text: threading.current_thread()})
        async with machine.listing(found.append):
            await polling.until(lambda: found and warned)
            assert [run.run for run in await machine.sessions.runs()] == [writer.session]
        assert [run.run for run in found] == [writer.session]
        assert set(warned.values()) == {threading.main_thread()}
        assert "broken.db" in "".join(warned)
        assert await machine.log.run_names() == []
