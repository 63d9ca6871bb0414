"""Runs as traces, by every recording: nothing is left open, twice or outside its parent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.block_rows import FOLDERS, sources_of
from unbraid import events as e
from unbraid.fold.run_trace import RunTrace, Span, TraceIdentity, TraceParent
from unbraid.fold.tree import Tree
from unbraid.record.sessions.sources import events_of, runs_of_sources


def read(folder: Path) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


def trace(events: list[e.FleetEvent], *, content: bool = False) -> list[Span]:
    made = RunTrace(TraceIdentity("run"), content=content)
    spans = [span for event in events for span in made.apply(event)]
    assert made.over
    return spans


def named(spans: list[Span], name: str) -> list[Span]:
    return [span for span in spans if span.name.split()[0] == name]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_recording_is_one_tree_of_spans(folder: Path) -> None:
    events = read(folder)
    spans, tree = trace(events), Tree(events)
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    assert [span for span in spans if span.parent_id is None] == [spans[-1]]
    assert {span.parent_id for span in spans} - {None} <= set(by_id)
    assert len(named(spans, "invoke_agent")) == len(tree.nodes)
    used = [event for event in events if isinstance(event, e.FleetTokenUsage)]
    chats = named(spans, "chat")
    assert len([c for c in chats if "gen_ai.usage.output_tokens" in c.attributes]) == len(used)
    assert len(named(spans, "execute_tool")) == sum(n.tool_uses for n in tree.nodes.values())
    asked = [event for event in events if isinstance(event, e.FleetPermissionAsked)]
    assert len(named(spans, "permission")) == len(asked)
    # Spans come out when they have ended, with the words or without.
    assert [span.seq for span in spans] == sorted(span.seq for span in spans)
    with_words = trace(events, content=True)
    assert [(s.span_id, s.start, s.end) for s in with_words] == [
        (s.span_id, s.start, s.end) for s in spans
    ]


def test_errors_and_retries_are_events_of_the_agent() -> None:
    folder = next(f for f in FOLDERS if f.name == "child-fails.serve.opencode")
    spans = trace(read(folder), content=True)
    failed = [span for span in named(spans, "invoke_agent") if span.error]
    assert [span.error for span in failed] == ["failed"]
    (event,) = failed[0].events
    assert (event.name, event.attributes["exception.type"]) == ("exception", "APIError")
    assert event.attributes["exception.message"] == "scripted child failure"
    (calls,) = [span for span in named(spans, "execute_tool") if span.error]
    assert calls.span_id == failed[0].parent_id


def test_a_retry_is_no_error() -> None:
    start = e.StreamStart(seq=2, ts=5, stream_id=0, depth=0, agent="main", parent_stream_id=None)
    retry = e.FleetError(
        seq=3, ts=6, stream_id=0, depth=0, agent="main", message="overloaded", code="api_retry"
    )
    made = RunTrace(TraceIdentity("run"))
    assert [span for event in (start, retry) for span in made.apply(event)] == []
    end = e.StreamEnd(seq=4, ts=7, stream_id=0, depth=0, agent="main", ok=True, reason="completed")
    assert made.apply(end) == []
    done = e.Done(
        seq=5, ts=7, stream_id=0, depth=0, agent="main", ok=True, streams=1, input_tokens=0,
        output_tokens=0, cache_read_tokens=0, cache_creation_tokens=0,
    )  # fmt: skip
    (span,) = made.apply(done)
    assert (span.error, span.start, span.end) == (None, 5, 7)
    assert [(each.name, each.attributes) for each in span.events] == [
        ("retry", {"error.type": "api_retry"})  # what was said about it is content
    ]


def test_a_permission_is_waited_for_below_its_call() -> None:
    folder = next(f for f in FOLDERS if f.name == "permission.stdin.2.1.325")
    spans = trace(read(folder))
    calls = {span.span_id: span for span in named(spans, "execute_tool")}
    for wait in named(spans, "permission"):
        assert wait.attributes["unbraid.permission.behavior"] in ("allow", "deny")
        assert wait.parent_id in calls
        assert wait.end <= calls[wait.parent_id].end


def test_an_agent_asks_its_model_when_it_has_what_it_waited_for() -> None:
    folder = next(f for f in FOLDERS if f.name == "fan-same-opening.run.opencode-1.2.27")
    spans = trace(read(folder))
    leaf = [span for span in spans if span.attributes["unbraid.stream_id"] == 2]
    first, second = named(leaf, "chat")
    (tool,) = named(leaf, "execute_tool")
    (agent,) = named(leaf, "invoke_agent")
    assert agent.start == first.start <= first.end == tool.start <= tool.end == second.start


GOOD = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        GOOD.replace("a", "0"),
        GOOD.replace("b", "0"),
        GOOD.replace("a", "G"),
        GOOD.replace("00-", "ff-"),
        GOOD + "-x",
    ],
)
def test_no_parent(text: str) -> None:
    assert TraceParent.parse(text) is None


def test_a_parent() -> None:
    parent = TraceParent.parse(GOOD)
    assert parent is not None
    assert str(parent) == GOOD
    ids = TraceIdentity("run", parent)
    assert ids.trace_id == ids.root.trace_id == parent.trace_id
    assert ids.root.span_id == TraceIdentity("run").root.span_id
    assert ids.root.span_id != TraceIdentity("nur").root.span_id
