"""Real streams with their truth: each block once, under the agent that said it, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.block_rows import (
    CLEAN,
    FOLDERS,
    has_parts,
    judge,
    log_of,
    logged_rows,
    sources_of,
    stream_of,
    up_to_the_cut,
)
from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.testing import assert_fleet, byte_by_byte, load, random_cuts, whole

CUT_OFF = "interrupt.serve"
# A delta that is repeated cannot be told from one that is new: only whole blocks can be.
# Codex numbers what it prints anew in each process, so a second time is a second process.
WHOLE_BLOCKS = [
    f
    for f in FOLDERS
    if not {".partial", ".exec"} & {f".{mode}" for mode in f.name.split(".")[1].split("-")}
    and not f.name.startswith(CUT_OFF)
]

every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
every_finished_recording = pytest.mark.parametrize(
    "folder",
    [folder for folder in FOLDERS if not folder.name.startswith(CUT_OFF)],
    ids=lambda folder: folder.name,
)
both = pytest.mark.parametrize("full", [False, True], ids=["stream", "everything"])


def read(folder: Path, *, full: bool) -> list[e.FleetEvent]:
    runs = runs_of_sources(sources_of(folder, full=full), {})
    assert len(runs) == 1
    return list(events_of(runs[0]))


def play(pieces: Iterable[bytes]) -> list[e.FleetEvent]:
    pipeline = Pipeline()
    events = [event for piece in pieces for event in pipeline.feed(piece)]
    return events + pipeline.finish()


def test_the_recordings_are_a_fair_part_of_what_there_is() -> None:
    recordings = [load(folder) for folder in FOLDERS]
    assert len(recordings) >= 25
    modes = {"plain", "partial", "stdin", "plain-fwd", "partial-fwd", "run", "serve"}
    modes |= {"exec", "exec-v2", "app-server"}
    assert {r.mode for r in recordings} == modes
    assert {r.version.rsplit(".", 1)[0] for r in recordings} >= {
        "1.0",
        "2.0",
        "2.1",
        "opencode",
        "kilo-7.7",
        "codex-0.77",
        "codex-0.107",
        "codex-0.118",
        "codex-0.166",
    }
    assert len({r.scenario for r in recordings}) >= 21


@both
@every_finished_recording
def test_every_block_once_under_its_agent_in_order(folder: Path, full: bool) -> None:
    assert judge(folder, read(folder, full=full), full=full) == CLEAN


@pytest.mark.parametrize("indent", [None, 2], ids=["on one line", "indented"])
@every_finished_recording
def test_a_stream_that_is_kept_as_an_array(
    folder: Path, indent: int | None, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps(load(folder).records, indent=indent))
    (run,) = runs_of_sources([str(kept)], {})
    assert judge(folder, events_of(run), full=False) == CLEAN


@pytest.mark.parametrize(
    "folder", [f for f in FOLDERS if f.name.startswith(CUT_OFF)], ids=lambda folder: folder.name
)
def test_an_interrupted_answer_is_reported_up_to_the_cut(folder: Path) -> None:
    up_to_the_cut(load(folder), read(folder, full=False))


@every_recording
def test_every_agent_with_a_transcript_is_reported_by_its_id(folder: Path) -> None:
    files = folder.glob("projects/**/agent-*.jsonl")
    ids = {path.stem.removeprefix("agent-") for path in files if path.stat().st_size}
    kinds = (e.StreamStart, e.FleetSessionMeta)
    output = {x.agent_id for x in read(folder, full=True) if isinstance(x, kinds)}
    assert ids <= output


# Of a workflow's agents only its own files tell, and one that is resumed answers more than once.
ONCE = [
    f
    for f in FOLDERS
    if load(f).truth["parents"]
    and not f.name.startswith((CUT_OFF, "resumed", "workflow", "send-input"))
]


@both
@pytest.mark.parametrize("folder", ONCE, ids=lambda folder: folder.name)
def test_an_agent_is_one_stream_that_answers_with_its_own_last_words(
    folder: Path, full: bool
) -> None:
    recording = load(folder)
    words = {
        block["agent"]: block["text"]
        for block in recording.truth["blocks"]
        if block["type"] == "text"
    }
    # Older versions refuse an agent that wants helpers of its own.
    parents = recording.truth["parents"]
    calls = {spawn["tool_use_id"]: name for name, spawn in parents.items() if name in words}
    events = read(folder, full=full)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert not [start for start in starts if start.resumes is not None]
    streams = {s.stream_id: calls[s.tool_use_id] for s in starts if s.tool_use_id in calls}
    if full or not (has_parts(recording) or recording.mode.startswith("exec")):
        assert sorted(streams.values()) == sorted(calls.values())
    well = {x.stream_id for x in events if isinstance(x, e.StreamEnd) and x.ok} & streams.keys()
    answers = [x for x in events if isinstance(x, e.SubAgentResponse) and x.stream_id in well]
    for answer in answers:
        assert answer.content == words[streams[answer.stream_id]]
    if full:
        assert len(answers) == len(well) > 0


@both
@every_recording
def test_every_promise_of_the_log_is_kept(folder: Path, full: bool) -> None:
    assert_fleet(read(folder, full=full), known=True)


@every_recording
def test_the_same_bytes_give_the_same_log_however_they_are_cut(folder: Path) -> None:
    data = stream_of(folder).read_bytes()
    log = log_of(play(whole(data)))
    assert log_of(play(byte_by_byte(data))) == log
    for seed in range(4):
        assert log_of(play(random_cuts(data, seed))) == log


@pytest.mark.parametrize("folder", WHOLE_BLOCKS, ids=lambda folder: folder.name)
def test_a_stream_fed_twice_says_nothing_twice(folder: Path) -> None:
    data = stream_of(folder).read_bytes()
    assert logged_rows(play([data, data])) == logged_rows(play([data]))


@pytest.mark.parametrize(
    "folder", [f for f in FOLDERS if (f / "event.sse").exists()], ids=lambda folder: folder.name
)
def test_an_event_stream_is_the_same_as_text_and_as_bare_objects(folder: Path) -> None:
    bare = (folder / "events.ndjson").read_bytes()
    assert log_of(play([(folder / "event.sse").read_bytes()])) == log_of(play([bare]))
