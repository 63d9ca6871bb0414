"""Codex's stored sessions: listed, searched, opened and followed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.agents.codex.rollouts import (
    CHILD,
    GRANDCHILD,
    ROOT,
    counts,
    head,
    line,
    says,
    spawns,
    turn,
    write,
)
from tests.block_rows import CLEAN, FOLDERS, judge, logged_rows
from unbraid import events as e
from unbraid.agents.codex.rollouts import stored_order, zstd_module
from unbraid.agents.codex.sessions import CodexSessions
from unbraid.agents.port import Recorded, SessionState, WatchOptions
from unbraid.fold.pipeline import Pipeline
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_facts import FILE_NAME, SessionFacts, stored_facts
from unbraid.testing import assert_fleet, load

CODEX = [folder for folder in FOLDERS if ".codex-" in folder.name]
PLAIN = [folder for folder in CODEX if not folder.name.startswith("compressed")]
every_recording = pytest.mark.parametrize("folder", CODEX, ids=lambda folder: folder.name)


def home_of(folder: Path, tmp_path: Path) -> dict[str, str]:
    shutil.copytree(folder / "sessions", tmp_path / "home" / "sessions")
    return {"CODEX_HOME": str(tmp_path / "home")}


def facts(
    env: dict[str, str], home: Path | None, warn: Callable[[str], None] = pytest.fail
) -> dict[str, SessionFacts]:
    found = stored_facts(env, home, warn=warn)
    return {each.session_id: each.facts for each in found}


@every_recording
def test_a_session_is_listed_with_all_that_it_used(folder: Path, tmp_path: Path) -> None:
    truth = load(folder).truth
    env = home_of(folder, tmp_path) | {"HOME": str(tmp_path)}
    rows = facts(env, tmp_path / "cache")
    row = rows[truth["thread"]]
    assert row.agents == len(truth["threads"])
    used = row.usage
    given = used.input_tokens + used.cache_read_tokens + used.cache_creation_tokens
    assert given == sum(answer["input_tokens"] for answer in truth["usage"])
    assert used.output_tokens == sum(answer["output_tokens"] for answer in truth["usage"])
    assert row.cwd == "/home/dev/app"
    assert (row.title or "").startswith("[[main]]")
    assert row.started <= row.updated
    assert facts(env, tmp_path / "cache") == rows


def test_a_session_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    env = {"CODEX_HOME": str(tmp_path), "HOME": str(tmp_path)}
    cache = tmp_path / "cache"
    gone = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("first")))
    assert len(facts(env, cache)) == 1
    gone.unlink()
    write(tmp_path, CHILD, head(CHILD), *turn("t2", says("second")))
    assert len(facts(env, cache)) == 1
    kept = (cache / FILE_NAME).read_bytes()
    assert (ROOT.encode() in kept, CHILD.encode() in kept) == (False, True)


def test_a_session_that_cannot_be_unpacked_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("first")))
    os.utime(older, (1, 1))
    newer = write(tmp_path, CHILD, head(CHILD))
    packed = newer.with_suffix(".jsonl.zst")
    packed.write_bytes(zstd_module(newer).compress(newer.read_bytes()))
    newer.unlink()
    for module in ("backports", "compression"):
        monkeypatch.setitem(sys.modules, module, None)
    warnings: list[str] = []
    env = {"CODEX_HOME": str(tmp_path), "HOME": str(tmp_path)}
    assert [*facts(env, None, warn=warnings.append)] == [ROOT]
    (warning,) = warnings
    assert warning.startswith(f"{packed}: is compressed, and this Python cannot read zstd")


@every_recording
def test_a_thread_opens_the_whole_tree(folder: Path, tmp_path: Path) -> None:
    env = home_of(folder, tmp_path)
    threads = load(folder).truth["threads"].values()
    for thread in threads:
        (run,) = runs_of_sources([thread], env)
        assert judge(folder, events_of(run), full=True) == CLEAN


def test_words_are_found_under_the_agent_that_said_them(tmp_path: Path) -> None:
    (folder,) = [each for each in CODEX if each.name.startswith("fan-same-opening")]
    truth = load(folder).truth
    store = CodexSessions(home_of(folder, tmp_path))
    found = [each for each in store.blocks("result alpha", ()) if "Result alpha" in each.text]
    said = [each for each in found if each.kind == "text"]
    assert [(each.session_id, each.agent_id) for each in said] == [
        (truth["thread"], truth["threads"]["a"])
    ]
    assert list(store.blocks("nobody said this", ())) == []
    assert list(store.blocks("result alpha", {truth["thread"]})) == []


@pytest.mark.parametrize("folder", PLAIN, ids=lambda folder: folder.name)
def test_a_session_is_followed_line_by_line(folder: Path, tmp_path: Path) -> None:
    """As the files grow, in the order in which their lines were written."""
    env = {"CODEX_HOME": str(tmp_path)}
    thread = load(folder).truth["thread"]
    paths = sorted((folder / "sessions").rglob("*.jsonl"))
    lines = sorted(
        (stored_order(text).at, rank, number, path, text)
        for rank, path in enumerate(paths)
        for number, text in enumerate(path.read_bytes().splitlines(keepends=True))
    )
    pipeline, events, follower = Pipeline(), [], None
    for _, _, _, path, text in lines:
        target = tmp_path / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as file:
            file.write(text)
        follower = follower or CodexSessions(env).follow(thread, Recorded())
        if follower is not None:
            for chunk in follower.read():
                events += pipeline.feed(chunk.data, chunk.source)
    events += pipeline.finish()
    assert judge(folder, events, full=True) == CLEAN


def add(path: Path, *lines: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(each + b"\n" for each in lines))


def test_a_second_run_of_a_session_has_only_what_is_new(tmp_path: Path) -> None:
    """One of its agents is asked again, another one is not; the file repeats what was counted."""
    first_turn = turn("t1", spawns("call_1", CHILD), says("first"), counts(100, 100, 600))
    root = write(tmp_path, ROOT, head(ROOT), *first_turn)
    child = write(tmp_path, CHILD, head(CHILD, ROOT), *turn("t2", says("child"), at=200))
    write(tmp_path, GRANDCHILD, head(GRANDCHILD, ROOT), *turn("t3", says("other"), at=200))
    store = CodexSessions({"CODEX_HOME": str(tmp_path)})
    first = store.follow(ROOT, Recorded())
    assert first is not None
    offsets: dict[str, int] = {}
    for chunk in first.read():
        offsets[chunk.source] = chunk.offset + len(chunk.data)
    prompt = {"type": "user_message", "message": "Go on."}
    again = {"type": "function_call", "name": "resume_agent", "call_id": "call_2"}
    asked = line(1060, "response_item", again | {"arguments": json.dumps({"id": CHILD})})
    output = {"type": "function_call_output", "call_id": "call_2", "output": '{"status":"pending"}'}
    said = [line(1001, "event_msg", prompt), counts(100, 100, 1050), asked]
    said += (line(1061, "response_item", output), says("second", 1100), counts(130, 30, 1150))
    add(root, *turn("t4", *said, at=1000, end=1200))
    add(child, *turn("t5", says("child again", 1080), at=1070, end=1090))
    second = store.follow(ROOT, Recorded(earlier=offsets, earlier_ms=1))
    assert second is not None
    pipeline = Pipeline()
    events = [x for chunk in second.read() for x in pipeline.feed(chunk.data, chunk.source)]
    events += pipeline.finish()
    assert_fleet(events)
    rows = [("", "tool_use", "call_2"), ("call_2", "text", "child again"), ("", "text", "second")]
    assert sorted(logged_rows(events)) == sorted(rows)
    started = events[0]
    assert isinstance(started, e.RequestReceived)
    assert (started.session_id, started.cwd) == (ROOT, "/x")
    done = events[-1]
    assert isinstance(done, e.Done)
    assert (done.ts % 10_000, done.duration_ms) == (1200, 200)
    assert [x.input_tokens for x in events if isinstance(x, e.FleetTokenUsage)] == [30]


async def test_a_change_of_a_child_is_one_of_its_session(tmp_path: Path) -> None:
    (folder,) = [each for each in CODEX if each.name.startswith("fan-same-opening")]
    env = home_of(folder, tmp_path)
    threads = load(folder).truth["threads"]
    watch = CodexSessions(env).watch(WatchOptions(inotify=False))
    assert watch.look() == set()
    (child,) = (tmp_path / "home").rglob(f"*{threads['a']}.jsonl")
    child.write_bytes(child.read_bytes() + b"\n")
    assert watch.look() == {threads["main"]}
    assert watch.has(threads["main"])
    assert watch.states([threads["main"]]) == {}


async def test_a_session_is_seen_that_was_written_before_its_folder_was_watched(
    tmp_path: Path,
) -> None:
    watch = CodexSessions({"CODEX_HOME": str(tmp_path)}).watch(WatchOptions())
    async with asyncio.timeout(60), aclosing(watch.changes()) as changes:
        assert await anext(changes) == set()
        made = tmp_path / "made"
        write(made, ROOT, head(ROOT), *turn("t1", says("first")))
        (made / "sessions").rename(tmp_path / "sessions")
        while not (found := await anext(changes)):
            pass
        assert found == {ROOT}


async def test_a_session_is_seen_that_was_written_with_the_folder_of_its_day(
    tmp_path: Path,
) -> None:
    """The whole file is there before the system reports on the new folder."""
    write(tmp_path, ROOT, head(ROOT))
    watch = CodexSessions({"CODEX_HOME": str(tmp_path)}).watch(WatchOptions())
    async with asyncio.timeout(60), aclosing(watch.changes()) as changes:
        assert await anext(changes) == {ROOT}
        assert await anext(changes) == set()
        later = write(tmp_path / "later", CHILD, head(CHILD), *turn("t1", says("first")))
        later.parents[1].rename(tmp_path / "sessions" / "2026" / "12")
        while not (found := await anext(changes)):
            pass
        assert found == {CHILD}


async def test_a_child_whose_first_line_is_half_written_is_no_session(tmp_path: Path) -> None:
    write(tmp_path, ROOT, head(ROOT))
    watch = CodexSessions({"CODEX_HOME": str(tmp_path)}).watch(WatchOptions(inotify=False))
    assert watch.look() == set()
    begun = write(tmp_path, CHILD)
    for text, roots in ((head(CHILD, ROOT)[:40], set()), (head(CHILD, ROOT)[40:] + b"\n", {ROOT})):
        with begun.open("ab") as file:
            file.write(text)
        assert watch.look() == roots


def test_an_exec_that_nobody_was_seen_to_run_is_over_when_it_says_so(tmp_path: Path) -> None:
    written = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("first"), end=None))
    write(tmp_path, CHILD, head(CHILD, source="cli"), *turn("t1", says("first")))
    watch = CodexSessions({"CODEX_HOME": str(tmp_path)}).watch(WatchOptions(inotify=False))
    watch.look()
    for _ in range(3):
        assert watch.states([ROOT, CHILD]) == {}
    with written.open("ab") as file:
        end = b'"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1"}}'
        file.write(b'{"timestamp":"2026-11-16T08:19:01.000Z",' + end + b"\n")
    assert watch.states([ROOT, CHILD]) == {}
    assert watch.states([ROOT, CHILD]) == {ROOT: SessionState(alive=False)}
