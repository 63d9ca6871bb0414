"""Rollouts that are damaged: a mark where the damage is, and everything else right."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from tests.agents.codex.rollouts import CHILD, GRANDCHILD, ROOT, head, says, spawns, turn, write
from tests.block_rows import RECORDINGS, logged_rows
from unbraid import events as e
from unbraid.agents.codex.rollouts import zstd_module
from unbraid.agents.codex.sessions import CodexSessions
from unbraid.agents.port import Recorded
from unbraid.fold.pipeline import Pipeline
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_facts import stored_facts
from unbraid.testing import assert_fleet

PACKED = RECORDINGS / "compressed.exec.codex-0.166.0"


def read(*paths: Path) -> list[e.FleetEvent]:
    (run,) = runs_of_sources([str(path) for path in paths], {})
    events = list(events_of(run))
    assert_fleet(events)
    return events


def marks(events: list[e.FleetEvent]) -> list[str]:
    found = [x.reason for x in events if isinstance(x, e.FleetMalformed)]
    return found + [x.message for x in events if isinstance(x, e.FleetError)]


def agents(events: list[e.FleetEvent]) -> dict[str | None, tuple[int | None, str | None]]:
    """Agents by their ids: their depth and the call that has started them."""
    starts = [x for x in events if isinstance(x, e.StreamStart)]
    return {x.agent_id: (x.depth, x.tool_use_id) for x in starts if x.stream_id}


def test_a_cut_line_costs_only_itself(tmp_path: Path) -> None:
    lines = turn("t1", says("before", 100), says("cut", 200)[:60], says("after", 300))
    events = read(write(tmp_path, ROOT, head(ROOT), *lines))
    assert [row[2] for row in logged_rows(events)] == ["before", "after"]
    assert len(marks(events)) == 1


def test_a_time_that_is_no_text_costs_nothing_else(tmp_path: Path) -> None:
    broken = says("undated").replace(b"2026-", b"\xff026-")
    path = write(tmp_path, ROOT, head(ROOT), *turn("t1", broken, says("kept")))
    events = read(path)
    assert [row[2] for row in logged_rows(events)] == ["undated", "kept"]
    follower = CodexSessions({"CODEX_HOME": str(tmp_path)}).follow(ROOT, Recorded())
    assert follower is not None
    assert b"".join(chunk.data for chunk in follower.read()) == path.read_bytes()


def test_lines_without_times_and_in_another_spelling_are_read(tmp_path: Path) -> None:
    """Somebody may have edited or converted them."""

    def other(made: bytes) -> bytes:
        record = json.loads(made)
        del record["timestamp"]
        return json.dumps(dict(reversed(record.items()))).encode()

    main = [head(ROOT), *turn("t1", *spawns("call", CHILD).split(b"\n"), says("main says"))]
    child = [head(CHILD, ROOT), *turn("t2", says("child says"))]
    path = write(tmp_path, ROOT, *map(other, main))
    write(tmp_path, CHILD, *map(other, child))
    events = read(path)
    assert [row[::2] for row in logged_rows(events)] == [
        ("", "call"),
        ("", "main says"),
        ("call", "child says"),
    ]
    assert marks(events) == []


def test_a_child_whose_parent_is_missing_is_shown_as_what_it_is(tmp_path: Path) -> None:
    events = read(write(tmp_path, CHILD, head(CHILD, ROOT), *turn("t1", says("alone"))))
    assert [row[2] for row in logged_rows(events)] == ["alone"]
    assert runs_of_sources([str(tmp_path / "sessions")], {})[0].session == CHILD


def test_a_child_that_no_call_has_started_is_marked(tmp_path: Path) -> None:
    write(tmp_path, CHILD, head(CHILD, ROOT, 50), *turn("t2", says("child", 60), at=55, end=70))
    path = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("root")))
    events = read(path)
    texts = [x.delta for x in events if isinstance(x, e.Text)]
    assert sorted(texts) == ["child", "root"]
    assert agents(events) == {CHILD: (1, None)}
    assert any("no call of its parent" in mark for mark in marks(events))


def test_a_child_before_its_parent_waits_for_it(tmp_path: Path) -> None:
    write(tmp_path, CHILD, head(CHILD, ROOT, 0), *turn("t2", says("child", 1), at=0, end=2))
    lines = turn("t1", spawns("call_1", CHILD, at=400), says("root"), at=300)
    events = read(write(tmp_path, ROOT, head(ROOT, at=0), *lines))
    assert sorted(logged_rows(events)) == [
        ("", "text", "root"),
        ("", "tool_use", "call_1"),
        ("call_1", "text", "child"),
    ]
    assert marks(events) == []


def test_two_calls_that_claim_one_child(tmp_path: Path) -> None:
    write(tmp_path, CHILD, head(CHILD, ROOT, 150), *turn("t2", says("once", 160), at=155, end=170))
    lines = turn("t1", spawns("call_1", CHILD, 100), spawns("call_2", CHILD, 200), says("root"))
    events = read(write(tmp_path, ROOT, head(ROOT), *lines))
    assert [row for row in logged_rows(events) if row[2] == "once"] == [("call_1", "text", "once")]


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    lines = turn("t1", spawns("call_1", GRANDCHILD), says("one"))
    first = write(tmp_path, CHILD, head(CHILD, GRANDCHILD), *lines)
    lines = turn("t2", spawns("call_2", CHILD, 200), says("two", 600), at=110, end=700)
    write(tmp_path, GRANDCHILD, head(GRANDCHILD, CHILD, 105), *lines)
    events = read(first)
    assert sorted(x.delta for x in events if isinstance(x, e.Text)) == ["one", "two"]


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.99])
def test_a_compressed_file_that_ends_in_the_middle_says_so(kept: float, tmp_path: Path) -> None:
    (path,) = PACKED.glob("sessions/**/*fda4*.zst")
    whole = path.read_bytes()
    target = tmp_path / path.name
    target.write_bytes(whole[: int(len(whole) * kept)])
    events = read(target)
    (damage,) = [x for x in events if isinstance(x, e.FleetMalformed)][-1:]
    assert "ends in the middle" in damage.raw
    target.write_bytes(whole[:100] + b"\0" * 50 + whole[150:])
    assert "damaged" in str([x.raw for x in read(target) if isinstance(x, e.FleetMalformed)][-1])


def test_a_large_compressed_file_needs_little_memory(tmp_path: Path) -> None:
    zstd = zstd_module(tmp_path)
    path = tmp_path / f"rollout-2026-11-16T08-19-00-{ROOT}.jsonl.zst"
    filler = says("x" * 10_000) + b"\n"
    with zstd.open(path, "wb") as file:
        file.write(head(ROOT) + b"\n")
        for _ in range(6000):
            file.write(filler)
    (run,) = runs_of_sources([str(path)], {})
    tracemalloc.start()
    try:
        size = sum(len(data) for data in run.tracks[0].read())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 60_000_000
    assert peak < 16_000_000


def test_a_child_without_a_parent_does_not_fill_the_memory(tmp_path: Path) -> None:
    many = [says(f"word {n}", 60) for n in range(6000)]
    write(tmp_path, CHILD, head(CHILD, ROOT, 50), *turn("t2", *many, at=55, end=None))
    path = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("root"), end=None))
    events = read(path)
    assert len([x for x in events if isinstance(x, e.Text)]) == 6001
    assert marks(events) != []


def test_two_gigabytes_in_the_middle_cost_one_mark_and_little_memory(tmp_path: Path) -> None:
    """A hole in the file: a line without an end, of which only the length is kept."""
    size = 2 << 30
    path = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("before", 100), end=None))
    with path.open("r+b") as file:
        file.seek(size)
        file.write(b"\n" + says("after", 300) + b"\n")
    env = {"CODEX_HOME": str(tmp_path), "HOME": str(tmp_path)}
    store = CodexSessions(env)
    tracemalloc.start()
    try:
        events = read(path)
        (row,) = stored_facts(env, None, warn=pytest.fail)
        found = list(store.blocks("after", ()))
        follower = store.follow(ROOT, Recorded())
        assert follower is not None
        pipeline = Pipeline()
        followed = [x for chunk in follower.read() for x in pipeline.feed(chunk.data, chunk.source)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [each[2] for each in logged_rows(events)] == ["before", "after"]
    assert [each[2] for each in logged_rows(followed)] == ["before", "after"]
    assert len(marks(events)) == len(marks(followed)) == 1
    assert (row.session_id, "after" in [each.text for each in found]) == (ROOT, True)
    assert peak < 120_000_000, peak
