"""A kind that keeps one file a session is listed, shown, searched and followed like any other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.agents.toy import said
from unbraid.agents import registry
from unbraid.agents.files import JsonlSessions
from unbraid.agents.port import Recorded
from unbraid.events import FleetEvent, Text
from unbraid.events import decode_event as decoded
from unbraid.log import SqliteLog
from unbraid.read.chunk import Chunk
from unbraid.record.sessions.importer import open_or_import
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_sessions import search_files
from unbraid.record.watcher import Watcher, watch_until

LONG_AGO = 1_700_000_000


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One more kind in the registry."""
    monkeypatch.setattr(registry, "BUILT_IN", (*registry.BUILT_IN, "tests.agents.toy:Toy"))
    registry.kinds.cache_clear()
    yield
    registry.kinds.cache_clear()


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    (tmp_path / "toys" / "a").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


def store(env: Mapping[str, str], session: str, *words: str) -> Path:
    path = Path(env["HOME"]) / "toys" / "a" / f"{session}.jsonl"
    with path.open("ab") as file:
        file.writelines(map(said, words))
    return path


def texts(events: Iterator[FleetEvent] | list[FleetEvent]) -> list[str]:
    return [event.delta for event in events if isinstance(event, Text)]


def warned(text: str) -> None:
    raise AssertionError(text)


def test_it_is_listed_newest_first(env: Mapping[str, str]) -> None:
    for number, session in enumerate(("one", "two")):
        os.utime(store(env, session, "Hello."), (LONG_AGO + number, LONG_AGO + number))
    runs = list_sessions(env, None, warn=warned)
    assert [(run.run, run.source, run.status) for run in runs] == [
        ("two", "toy", "done"),
        ("one", "toy", "done"),
    ]


def test_it_is_shown_by_its_id_or_a_part_of_it(env: Mapping[str, str]) -> None:
    store(env, "a-session", "Hello.", "Bye.")
    for name in ("a-session", "a-sess"):
        (run,) = runs_of_sources([name], env)
        assert (run.source, texts(events_of(run))) == ("toy", ["Hello.", "Bye."])


def test_a_file_that_only_its_dialect_knows(env: Mapping[str, str], tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b'{"toy":"1"}\n')
    (run,) = runs_of_sources([str(path)], env)
    assert run.source == "toy"


def test_it_is_searched(env: Mapping[str, str]) -> None:
    store(env, "one", "Hello there.", "Bye.")
    store(env, "two", "Hello.")
    (hit,) = search_files("hello THERE", env)
    assert (hit.run, hit.agent_id, hit.kind, hit.snippet) == ("one", None, "text", "Hello there.")
    assert search_files("hello", env, known={"one", "two"}) == []


async def test_it_is_opened_and_caught_up(env: Mapping[str, str], tmp_path: Path) -> None:
    store(env, "one", "Hello.")
    log = await SqliteLog.open(tmp_path / "log.db")
    try:
        assert not (await open_or_import(log, "one", env)).over
        os.utime(store(env, "one", "Bye."), (LONG_AGO, LONG_AGO))
        assert (await open_or_import(log, "one", env)).over
        entries = await log.read("one", 0)
        assert texts([decoded(entry.data) for entry in entries]) == ["Hello.", "Bye."]
    finally:
        await log.close()


@pytest.mark.parametrize("inotify", [True, False], ids=["inotify", "polling"])
async def test_it_is_followed_over_restarts_and_ends(
    env: Mapping[str, str], tmp_path: Path, inotify: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.system.folders.FOLDER_POLL_SECONDS", 0.05)
    log = await SqliteLog.open(tmp_path / "log.db")
    store(env, "one", "First.")
    try:
        for words, run in (("Second.", "one"), ("Third.", "one"), ("Fourth.", "one.2")):
            leases, until = log.leases(), asyncio.Event()
            idle = 1.0 if words == "Third." else 1e9
            watch = Watcher(log, leases, env, warn=warned, inotify=inotify, idle_seconds=idle)
            task = asyncio.create_task(watch_until(watch, until))
            await watch.ready.wait()
            store(env, "one", words)
            await has(log, run, words)
            if words == "Third.":
                async with asyncio.timeout(60):
                    async for _ in log.follow(run):
                        pass  # until its end
            until.set()
            await task
            await leases.close(ended=False)
        assert texts(await events(log, "one")) == ["First.", "Second.", "Third."]
        assert texts(await events(log, "one.2")) == ["Fourth."]
    finally:
        await log.close()


async def has(log: SqliteLog, run: str, words: str) -> None:
    """Wait until a run has these words."""
    async with asyncio.timeout(60):
        async for batch in log.follow_all(0):
            if any(entry.run == run and words.encode() in entry.data for entry in batch):
                return


async def events(log: SqliteLog, run: str) -> list[FleetEvent]:
    return [decoded(entry.data) for entry in await log.read(run, 0)]


def test_a_file_that_was_rewritten_is_read_again(env: Mapping[str, str]) -> None:
    path = store(env, "one", "Hello.")
    sessions = JsonlSessions("toy", Path(env["HOME"]) / "toys")
    first = said("Hello.")
    recorded = Recorded(
        offsets={"file@1+0": len(first)}, ends={"file@1+0": (first, first)}, is_new=False
    )
    follower = sessions.follow("one", recorded)
    assert follower is not None
    assert list(follower.read()) == []
    path.write_bytes(said("Anew."))
    (chunk,) = follower.read()
    assert chunk == Chunk("file@2+0", 0, said("Anew."))
