"""Codex's dialect: sources in any order, tokens once, ends as they were."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.agents.codex.rollouts import CHILD, ROOT, head, line, says, spawns, turn, write
from tests.said import FOLDERS, RECORDINGS, sources_of, stream_of, told
from unbraid import Translator
from unbraid import events as e
from unbraid.pipeline import Pipeline
from unbraid.sessions.sources import events_of, runs_of_sources
from unbraid.testing import load

CODEX = [folder for folder in FOLDERS if ".codex-" in folder.name]
every_recording = pytest.mark.parametrize("folder", CODEX, ids=lambda folder: folder.name)


def read(*sources: str) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(list(sources), {})
    assert run.source == "codex"
    return list(events_of(run))


@every_recording
def test_each_token_is_counted_once_under_its_agent(folder: Path) -> None:
    truth = load(folder).truth
    calls = {name: spawn["tool_use_id"] for name, spawn in truth["parents"].items()}
    want: Counter[tuple[str, str]] = Counter()
    for answer in truth["usage"]:
        agent = calls.get(answer["agent"], "")
        want[agent, "in"] += answer["input_tokens"]
        want[agent, "out"] += answer["output_tokens"]
    got: Counter[tuple[str, str]] = Counter()
    owners: dict[int, str] = {}
    for event in read(*sources_of(folder, full=True)):
        if isinstance(event, e.StreamStart):
            again = event.resumes
            owner = event.tool_use_id or ""
            owners[event.stream_id] = owner if again is None else owners[again]
        elif isinstance(event, e.FleetTokenUsage):
            cached = event.cache_read_tokens + event.cache_creation_tokens
            got[owners[event.stream_id], "in"] += event.input_tokens + cached
            got[owners[event.stream_id], "out"] += event.output_tokens
    assert got == want


@every_recording
def test_nothing_is_unknown_or_malformed(folder: Path) -> None:
    events = read(*sources_of(folder, full=True))
    assert not [x for x in events if isinstance(x, e.FleetUnrecognized | e.FleetMalformed)]


def test_a_stdout_that_comes_before_its_rollout_is_not_said_twice() -> None:
    folder = RECORDINGS / "tools.exec.codex-0.77.0"
    stream, rollout = (Path(name) for name in sources_of(folder, full=True))
    pipeline = Pipeline()
    events = pipeline.feed(stream.read_bytes())
    events += pipeline.feed(rollout.read_bytes(), rollout.name)
    events += pipeline.finish()
    texts = [row for row in told(events) if row[1] != "tool_use"]
    assert texts == [row for row in told(read(str(rollout))) if row[1] != "tool_use"]


def test_a_failed_child_has_failed_in_every_release() -> None:
    for folder in CODEX:
        if folder.name.startswith("child-fails"):
            events = read(*sources_of(folder, full=True))
            ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
            assert sorted(ends.values()) == ["completed", "completed", "failed"]


def test_an_agent_that_is_asked_again_is_the_same_agent() -> None:
    events = read(*sources_of(RECORDINGS / "send-input.exec-v2.codex-0.166.0", full=True))
    first, again = [x for x in events if isinstance(x, e.StreamStart) and x.stream_id]
    assert again.resumes == first.stream_id
    assert again.agent_id == first.agent_id
    answers = [x.content for x in events if isinstance(x, e.SubAgentResponse)]
    assert answers == ["helper ended once", "helper ended twice"]


def test_a_permission_request_and_its_answer() -> None:
    folder = RECORDINGS / "child-permission.app-server.codex-0.166.0"
    events = read(str(stream_of(folder)))
    (asked,) = [x for x in events if isinstance(x, e.FleetPermissionAsked)]
    (replied,) = [x for x in events if isinstance(x, e.FleetPermissionReplied)]
    assert asked.stream_id == replied.stream_id != 0
    assert asked.request_id == replied.request_id
    assert replied.behavior == "allow"


def test_a_rollout_that_is_read_from_its_middle_is_known_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, ROOT, *turn("t1", says("later")))
    translator = Translator()
    events = translator.feed(path.read_bytes(), path.name) + translator.finish()
    assert [x.delta for x in events if isinstance(x, e.TextDelta)] == ["later"]


def test_the_copied_history_of_a_forked_thread_is_left_out(tmp_path: Path) -> None:
    older, own = "01a1e36f-0000-7000-8000-000000000009", "01a1e371-0000-7000-8000-000000000009"
    usage = {"input_tokens": 100, "output_tokens": 10}
    total = {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}
    grown = {
        "type": "token_count",
        "info": {
            "total_token_usage": {"input_tokens": 130, "output_tokens": 13},
            "last_token_usage": {"input_tokens": 30, "output_tokens": 3},
        },
    }
    path = write(
        tmp_path,
        CHILD,
        head(CHILD, forked_from_id=ROOT),
        head(ROOT),
        *turn(older, says("copied"), line(600, "event_msg", total), at=1, end=2),
        *turn(own, says("own", 700), line(750, "event_msg", total), line(800, "event_msg", grown)),
    )
    events = read(str(path))
    assert [row[2] for row in told(events)] == ["own"]
    (used,) = [x for x in events if isinstance(x, e.FleetTokenUsage)]
    assert (used.input_tokens, used.output_tokens) == (30, 3)


def test_a_child_whose_rollout_is_read_late_is_one_agent(tmp_path: Path) -> None:
    """As while it runs: the file of a new agent is found a moment later than its parent's grows."""
    asked = {"type": "function_call", "name": "wait_agent", "arguments": "{}", "call_id": "call_2"}
    got = json.dumps({"status": {CHILD: {"completed": "said"}}, "timed_out": False})
    output = {"type": "function_call_output", "call_id": "call_2", "output": got}
    waits = (line(300, "response_item", asked), line(301, "response_item", output))
    root = turn("t1", spawns("call_1", CHILD), *waits, says("root"))
    child = turn("t2", says("said", 200), at=150, end=250)
    pipeline = Pipeline()
    events = pipeline.feed(b"".join(x + b"\n" for x in (head(ROOT), *root)), f"rollout-{ROOT}")
    alone = Pipeline()
    alone.feed(b"".join(x + b"\n" for x in (head(ROOT), *root)), f"rollout-{ROOT}")
    (end,) = [x for x in alone.finish() if isinstance(x, e.StreamEnd) and x.stream_id]
    assert end.ok
    lines = b"".join(x + b"\n" for x in (head(CHILD, ROOT, 140), *child))
    events += pipeline.feed(lines, f"rollout-{CHILD}") + pipeline.finish()
    assert [x.reason for x in events if isinstance(x, e.StreamEnd)] == ["completed"] * 2
    assert ("call_1", "text", "said") in told(events)
