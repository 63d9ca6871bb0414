"""A watch and files in every state: halves, rewrites, crowds, giants, locked doors."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from pathlib import Path

import pytest

from tests.polling import until
from tests.record.watch.writing import HOURS_AGO, SESSION, Writer, append, dated
from unbraid import events as e
from unbraid.agents.claude.sessions.watch import TranscriptWatch
from unbraid.agents.port import SessionState
from unbraid.errors import LogError
from unbraid.events import decode_event
from unbraid.log import Entry, SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.record import watcher
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.watcher import IDLE_RUN_TIMEOUT_SECONDS, Watcher, watch_until

pytestmark = pytest.mark.parametrize("inotify", [True, False], ids=["inotify", "polling"])


class Machine:
    """A machine that is being watched."""

    def __init__(self, folder: Path, log: SqliteLog) -> None:
        self.config, self.home, self.log = folder / "claude", folder / "home", log
        self.env: Mapping[str, str] = {"CLAUDE_CONFIG_DIR": str(self.config), "HOME": str(folder)}
        self.warnings: list[str] = []

    async def until(self, run: str, words: str) -> list[e.FleetEvent]:
        """A run's events up to the one that has these words."""
        found: list[e.FleetEvent] = []
        async with asyncio.timeout(60):
            async for batch in self.log.follow(run):
                found += [decode_event(entry.data) for entry in batch]
                if any(words.encode() in entry.data for entry in batch):
                    return found
        raise AssertionError("the run ended")


Start = Callable[[], contextlib.AbstractAsyncContextManager[Machine]]


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    log = await SqliteLog.open(tmp_path / "home" / "log.db")
    try:
        yield Machine(tmp_path, log)
    finally:
        await log.close()


@contextlib.asynccontextmanager
async def watched(
    machine: Machine, *, inotify: bool, idle_seconds: float = 1e9
) -> AsyncIterator[Watcher]:
    leases = FileLeases(machine.home)
    watch = Watcher(
        machine.log,
        leases,
        machine.env,
        warn=machine.warnings.append,
        idle_seconds=idle_seconds,
        inotify=inotify,
    )
    until = asyncio.Event()
    task = asyncio.create_task(watch_until(watch, until))
    try:
        yield watch
    finally:
        until.set()
        await task
        await leases.close(ended=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.system.folders.FOLDER_POLL_SECONDS", 0.05)
    monkeypatch.setattr("unbraid.record.watcher.PROCESS_CHECK_SECONDS", 0.05)


def texts(events: list[e.FleetEvent]) -> list[str]:
    return [event.delta for event in events if isinstance(event, e.Text)]


async def test_what_was_found_at_the_last_moment_is_reported(
    machine: Machine, inotify: bool
) -> None:
    """It is stopped while it opens the session."""
    writer = Writer(machine.config)
    append(writer.main, writer.text("one"))
    async with watched(machine, inotify=inotify) as watch:
        await watch.ready.wait()
    assert texts(await machine.until(writer.session, "one")) == ["one"]


async def test_byte_by_byte(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    async with watched(machine, inotify=inotify):
        for byte in writer.prompt() + writer.text("one") + writer.text("two"):
            append(writer.main, bytes([byte]))
            await asyncio.sleep(0)
        events = await machine.until(writer.session, "two")
    assert texts(events) == ["one", "two"]
    assert not any(isinstance(event, e.FleetMalformed) for event in events)


async def test_truncated_replaced_deleted(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    first = writer.prompt() + writer.text("one") + writer.text("two")
    append(writer.main, first)
    async with watched(machine, inotify=inotify):
        await machine.until(writer.session, "two")
        # Rewritten as a whole, as on compaction: what is known is not logged again.
        writer.main.write_bytes(first + writer.text("three"))
        await machine.until(writer.session, "three")
        writer.main.write_bytes(writer.text("four"))
        await machine.until(writer.session, "four")
        other = writer.main.with_suffix(".new")
        other.write_bytes(first + writer.text("five"))
        other.replace(writer.main)
        await machine.until(writer.session, "five")
        writer.main.unlink()
        writer.main.write_bytes(first + writer.text("six"))
        events = await machine.until(writer.session, "six")
    assert texts(events) == ["one", "two", "three", "four", "five", "six"]


async def test_a_folder_that_is_renamed(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    append(writer.main, writer.prompt() + writer.text("one"))
    child = writer.child("a9", "toolu_9")
    append(child, writer.text("two", "a9"))
    async with watched(machine, inotify=inotify):
        await machine.until(writer.session, "two")
        renamed = writer.main.parent.rename(writer.main.parent.with_name("-elsewhere"))
        append(renamed / child.relative_to(writer.main.parent), writer.text("three", "a9"))
        append(renamed / writer.main.name, writer.text("four"))
        events = await machine.until(writer.session, "four")
    assert sorted(texts(events)) == sorted(writer.said)
    assert len(await machine.log.runs()) == 1


async def test_subagents_that_appear_later(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    async with watched(machine, inotify=inotify):
        append(writer.main, writer.prompt() + writer.text("main begins"))
        await machine.until(writer.session, "main begins")
        call = {"type": "tool_use", "id": "toolu_9", "name": "Agent", "input": {"prompt": "Look."}}
        append(writer.main, writer.answer([call]))
        child = writer.child("a9", "toolu_9")
        append(child, writer.text("child speaks", "a9"))
        events = await machine.until(writer.session, "child speaks")
    (start,) = [x for x in events if isinstance(x, e.StreamStart) and x.stream_id]
    assert (start.tool_use_id, start.agent, start.parent_stream_id) == ("toolu_9", "Explore", 0)
    assert [event.stream_id for event in events if isinstance(event, e.Text)] == [0, 1]


async def test_five_hundred_sessions_at_once(machine: Machine, inotify: bool) -> None:
    writers = [
        Writer(machine.config, f"00000000-0000-4000-8000-{number:012}") for number in range(500)
    ]
    async with watched(machine, inotify=inotify):
        for turn in range(3):
            for writer in writers:
                append(writer.main, writer.text(f"{writer.session} says {turn}"))
        for writer in writers:
            events = await machine.until(writer.session, "says 2")
            assert texts(events) == writer.said
    assert machine.warnings == []


async def test_a_giant(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    padding = "x" * 1_000_000
    with writer.main.open("wb") as file:
        for number in range(300):
            file.write(writer.text(f"{number} {padding}"))
        file.write(writer.text("the end"))
    async with watched(machine, inotify=inotify):
        since = 0
        async with asyncio.timeout(120):
            async for batch in machine.log.follow(writer.session):
                assert batch[0].seq == since + 1
                since = batch[-1].seq
                if b"the end" in batch[-1].data:
                    break
    summary = await machine.log.run(writer.session)
    assert summary is not None
    assert summary.usage.output_tokens >= 300


async def test_a_loop(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    append(writer.main, writer.text("open"))
    (writer.main.parent.parent / "loop").symlink_to(writer.main.parent.parent)
    inner = writer.main.with_suffix("") / "subagents"
    inner.mkdir(parents=True)
    (inner / "loop").symlink_to(inner)
    async with watched(machine, inotify=inotify):
        await machine.until(writer.session, "open")
        append(writer.main, writer.text("still open"))
        events = await machine.until(writer.session, "still open")
    assert texts(events) == ["open", "still open"]


async def test_silence_ends_a_run_and_the_next_words_begin_another(
    machine: Machine, inotify: bool
) -> None:
    writer = Writer(machine.config)
    append(writer.main, writer.text("one"))
    async with watched(machine, inotify=inotify, idle_seconds=0.2):
        entries: list[Entry] = []
        async for batch in machine.log.follow(writer.session):
            entries += batch
        assert entries[-1].type == "done"
        append(writer.main, writer.text("two"))
        events = await machine.until(f"{writer.session}.2", "two")
    assert texts(events) == ["two"]


async def test_a_session_that_was_restored_is_over_until_it_goes_on(
    machine: Machine, inotify: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are new, what it says is not: a list of stored sessions says the same."""
    monkeypatch.setattr(watcher, "RESTORED_QUIET_SECONDS", 0.5)
    before = Writer(machine.config, "00000000-0000-4000-8000-000000000001", timestamp=HOURS_AGO)
    append(before.main, before.prompt() + before.text("one"))
    (stored,) = list_sessions(machine.env, None, warn=print)
    async with watched(machine, inotify=inotify, idle_seconds=IDLE_RUN_TIMEOUT_SECONDS):
        meanwhile = Writer(machine.config, SESSION, timestamp=HOURS_AGO)
        append(meanwhile.main, meanwhile.prompt() + meanwhile.text("two"))
        for writer in (before, meanwhile):
            async for batch in machine.log.follow(writer.session):
                last = batch[-1].type
            assert last == "done"
            run = await machine.log.run(writer.session)
            assert run is not None
            assert (run.status, run.updated) == (stored.status, stored.updated)
        before.timestamp = dated()
        append(before.main, before.prompt("And now?"))
        await machine.until(f"{before.session}.2", "And now?")
        now = await machine.log.run(f"{before.session}.2")
        assert now is not None
        assert now.status == "working"


async def test_one_whose_times_are_old_is_one_run_while_its_files_grow(
    machine: Machine, inotify: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks, states = list[None](), TranscriptWatch.states

    def observed(watch: TranscriptWatch, among: Collection[str]) -> dict[str, SessionState]:
        checks.append(None)
        return states(watch, among)

    monkeypatch.setattr(TranscriptWatch, "states", observed)
    monkeypatch.setattr(watcher, "PROCESS_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(watcher, "SILENCE_CHECK_SHARE", 0.0)
    played = Writer(machine.config, timestamp=HOURS_AGO)
    append(played.main, played.prompt())
    async with watched(machine, inotify=inotify, idle_seconds=IDLE_RUN_TIMEOUT_SECONDS):
        for word in ("one", "two", "three"):
            append(played.main, played.text(word))
            await machine.until(played.session, word)
            # Many times the watch looks who is silent.
            enough = len(checks) + 10
            await until(lambda: len(checks), enough.__le__)
        assert [run.run for run in await machine.log.runs()] == [played.session]


async def test_an_old_session_is_left_alone_until_it_speaks(
    machine: Machine, inotify: bool
) -> None:
    old = Writer(machine.config, "00000000-0000-4000-8000-000000000001")
    append(old.main, old.text("long ago"))
    long_ago = time.time() - 86400
    os.utime(old.main, (long_ago, long_ago))
    new = Writer(machine.config, "00000000-0000-4000-8000-000000000002")
    append(new.main, new.text("now"))
    async with watched(machine, inotify=inotify):
        await machine.until(new.session, "now")
        assert await machine.log.run(old.session) is None
        append(old.main, old.text("again"))
        events = await machine.until(old.session, "again")
    assert texts(events) == ["long ago", "again"]


async def test_only_one_process_writes_a_session(machine: Machine, inotify: bool) -> None:
    writer = Writer(machine.config)
    append(writer.main, writer.text("one"))
    other = FileLeases(machine.home)
    assert await other.acquire(writer.session)
    with pytest.raises(LogError):
        FileLeases(machine.config / "projects" / "-work" / f"{writer.session}.jsonl")
    async with watched(machine, inotify=inotify):
        second = Writer(machine.config, "00000000-0000-4000-8000-000000000002")
        append(second.main, second.text("two"))
        await machine.until(second.session, "two")
        assert await machine.log.run(writer.session) is None
        await other.close(ended=True)
        assert texts(await machine.until(writer.session, "one")) == ["one"]
