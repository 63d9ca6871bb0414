"""How far the files of a session are known when a process goes on with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unbraid.agents.claude.sessions.beginnings import Beginnings
from unbraid.agents.claude.sessions.follower import TranscriptFollower, known_files
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.files import RecordedFile
from unbraid.agents.port import Recorded
from unbraid.events import StreamEnd
from unbraid.fold.pipeline import Pipeline
from unbraid.system.file_tail import Place

BEFORE = {
    "main.jsonl": RecordedFile(Place(1, 70), 70),
    "agent-a.jsonl": RecordedFile(Place(1, 5), 5),
}


def followed(main: Path, recorded: Recorded | None = None) -> TranscriptFollower:
    return TranscriptFollower(
        main,
        recorded or Recorded(),
        processes=Processes({}),
        beginnings=Beginnings(),
    )


def test_a_run_that_is_not_over_knows_its_own_files() -> None:
    recorded = Recorded({"main.jsonl@1+10": 20}, {"main.jsonl@1+10": (b"{", b"}")}, is_new=False)
    assert known_files(recorded, BEFORE) == {
        "main.jsonl": RecordedFile(Place(1, 30, b"", b"}"), 10)
    }


def test_a_new_run_begins_where_the_last_one_before_it_has_ended() -> None:
    first = {"main.jsonl@1+0": 40, "x.meta.json@1+0": 3}
    second = {"main.jsonl@1+40": 20}
    for earlier in (first | second, second | first):
        known = known_files(Recorded(earlier=earlier), BEFORE)
        assert known["main.jsonl"] == RecordedFile(Place(1, 60), 60)
        assert known["agent-a.jsonl"] == BEFORE["agent-a.jsonl"]
        assert "x.meta.json" not in known


def test_a_file_that_was_made_anew_counts_by_its_last_generation() -> None:
    earlier = {"main.jsonl@1+0": 400, "main.jsonl@2+0": 7}
    assert known_files(Recorded(earlier=earlier), {})["main.jsonl"] == RecordedFile(Place(2, 7), 7)


def test_a_session_that_the_log_never_had_begins_where_its_files_stood() -> None:
    assert known_files(Recorded(), BEFORE) == BEFORE


def test_a_session_of_which_only_the_files_are_known_ends_with_its_answer(tmp_path: Path) -> None:
    main = tmp_path / "s1.jsonl"
    main.write_text(
        '{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/app","isSidechain":false,'
        '"message":{"role":"user","content":"Go."}}\n'
        '{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","isSidechain":false,'
        '"message":{"id":"m","content":[{"type":"text","text":"Done."}]}}\n'
    )
    pipeline = Pipeline()
    follower = followed(main)
    follower.end()
    events = [
        event
        for chunk in follower.read(at_once=True)
        for event in pipeline.feed(chunk.data, chunk.source, 1)
    ]
    events += pipeline.finish(2)
    assert [event.reason for event in events if isinstance(event, StreamEnd)] == ["completed"]


@pytest.mark.parametrize("earlier_ms", [0, 1_690_000_000_000])
def test_a_run_of_notes_alone_began_when_they_were_written(tmp_path: Path, earlier_ms: int) -> None:
    """Also one that continues a session: not when the run before it has ended."""
    main = tmp_path / "s1.jsonl"
    main.write_text('{"type":"mode","mode":"normal","sessionId":"s1"}\n')
    os.utime(main, (1_700_000_000, 1_700_000_000))
    pipeline = Pipeline()
    follower = followed(main, Recorded(earlier_ms=earlier_ms))
    looked_at = 1_700_003_600_000
    events = [
        event
        for chunk in follower.read(at_once=True)
        for event in pipeline.feed(chunk.data, chunk.source, looked_at)
    ]
    assert {event.ts for event in events} == {1_700_000_000_000}
