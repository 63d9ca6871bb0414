"""The one rule for what a run and its agents are doing, event by event."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from tests.block_rows import FOLDERS, stream_of
from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.status import (
    FILTERS,
    MAX_OPEN_REQUESTS,
    STATUSES,
    RunState,
    WaitingFor,
    status_of_end,
)
from unbraid.fold.tree import Tree
from unbraid.fold.usage import Totals
from unbraid.log.summary import RunSummary

ROOT: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main"}
CHILD: dict[str, Any] = {"stream_id": 1, "depth": 1, "agent": "helper"}
ASKED: dict[str, Any] = {"tool": "Bash", "input_json": Raw(b"{}")}
TURN: dict[str, Any] = {"ok": True, "subtype": "", "result": None}
DONE: dict[str, Any] = {
    "streams": 2, "input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0,
    "cache_creation_tokens": 0,
}  # fmt: skip

# Each event, then the run's status, what it waits for, and the statuses of its agents.
STORY: list[tuple[type[e.FleetEvent], dict[str, Any], str, str | None, list[str]]] = [
    (e.RequestReceived, {**ROOT, "source": "x"}, "working", None, []),
    (e.StreamStart, {**ROOT, "parent_stream_id": None}, "working", None, ["working"]),
    (e.FleetTurnComplete, {**ROOT, **TURN}, "waiting", "prompt", ["waiting"]),
    (e.FleetPrompt, {**ROOT, "text": "Go"}, "working", None, ["working"]),
    (e.StreamStart, {**CHILD, "parent_stream_id": 0}, "working", None, ["working", "working"]),
    # It has answered, but somebody works for it: nobody has to do anything.
    (e.FleetTurnComplete, {**ROOT, **TURN}, "working", None, ["waiting", "working"]),
    (
        e.FleetPermissionAsked,
        {**CHILD, **ASKED, "request_id": "r"},
        "waiting",
        "permission",
        ["waiting", "waiting"],
    ),
    (
        e.FleetPermissionReplied,
        {**CHILD, "request_id": "r", "behavior": "allow"},
        "working",
        None,
        ["waiting", "working"],
    ),
    (
        e.StreamEnd,
        {**CHILD, "ok": False, "reason": "cancelled"},
        "waiting",
        "prompt",
        ["waiting", "interrupted"],
    ),
    (
        e.Text,
        {**ROOT, "delta": "So", "message_id": "m", "block": 0},
        "working",
        None,
        ["working", "interrupted"],
    ),
    (
        e.StreamEnd,
        {**ROOT, "ok": False, "reason": "orphaned"},
        "working",
        None,
        ["orphaned", "interrupted"],
    ),
    (e.Done, {**ROOT, **DONE, "ok": False}, "orphaned", None, ["orphaned", "interrupted"]),
]


def test_a_run_event_by_event() -> None:
    tree, summary = Tree(), RunSummary("r")
    for seq, (kind, fields, status, waiting, agents) in enumerate(STORY, 1):
        event = kind(seq=seq, ts=1000 + seq, **fields)
        tree.apply([event])
        summary.fold(event, 1)
        assert [node.status for node in tree.nodes.values()] == agents, kind
        for state in (tree.state, summary):
            assert state.status == status, kind
            assert (state.waiting.what if state.waiting else None) == waiting, kind
    assert summary.over


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_list_of_runs_leaves_out_nothing_that_the_events_of_a_recording_say(
    folder: Path,
) -> None:
    pipeline = Pipeline()
    state, totals, summary = RunState(), Totals(), RunSummary("r")
    for event in pipeline.feed(stream_of(folder).read_bytes()) + pipeline.finish():
        state.apply(event)
        totals.fold(event)
        summary.fold(event, 1)
        assert (summary.status, summary.waiting) == (state.status, state.waiting), event
        assert summary.usage == totals.total(), event


def test_it_waits_since_the_first_unanswered_request() -> None:
    state = RunState()
    for ts, request, tool in ((5, "a", "Bash"), (3, "b", "Edit"), (9, "c", "")):
        fields = {**ROOT, **ASKED, "tool": tool, "request_id": request}
        state.apply(e.FleetPermissionAsked(seq=1, ts=ts, **fields))
    assert state.waiting == WaitingFor("permission", 3, "Edit")
    assert str(state.waiting) == "waiting for permission to use Edit"
    assert str(WaitingFor("prompt", 1)) == "waiting for prompt"
    state.apply(e.StreamEnd(seq=2, ts=9, ok=True, reason="completed", **ROOT))
    assert state.waiting is None, "nobody waits who has ended"


@pytest.mark.parametrize(
    ("reason", "ok", "status"),
    [
        ("completed", True, "done"),
        ("failed", False, "failed"),
        ("cancelled", False, "interrupted"),
        ("interrupted", False, "interrupted"),
        ("orphaned", False, "orphaned"),
        ("of another version", True, "done"),
        ("of another version", False, "failed"),
    ],
)
def test_ends(reason: str, ok: bool, status: str) -> None:
    assert status_of_end(reason, ok=ok) == status


def test_filters() -> None:
    assert [FILTERS[status] for status in STATUSES] == [(status,) for status in STATUSES]
    assert FILTERS["live"] == ("working", "waiting")


def asked(request: str, seq: int = 1, tool: str = "Bash") -> e.FleetPermissionAsked:
    fields = {**ROOT, **ASKED, "tool": tool, "request_id": request}
    return e.FleetPermissionAsked(seq=seq, ts=seq, **fields)


def test_an_open_request_is_not_replaced_by_another_of_its_name() -> None:
    state = RunState()
    state.apply(asked("q", 1, "rm"))
    state.apply(asked("q", 2, "ls"))
    assert state.requests["q"].seq == 1
    assert state.waiting == WaitingFor("permission", 1, "rm")


def test_requests_without_end_are_counted_and_not_kept() -> None:
    state = RunState()
    for number in range(MAX_OPEN_REQUESTS + 3):
        state.apply(asked(f"q{number}", number + 1))
    assert (len(state.requests), state.unlisted) == (MAX_OPEN_REQUESTS, 3)
    replied: dict[str, Any] = {"seq": 1, "ts": 1, "behavior": "allow", **ROOT}
    state.apply(e.FleetPermissionReplied(request_id=f"q{MAX_OPEN_REQUESTS}", **replied))
    assert (len(state.requests), state.unlisted) == (MAX_OPEN_REQUESTS, 2)
    state.apply(e.StreamEnd(seq=2, ts=9, ok=True, reason="completed", **ROOT))
    assert (state.requests, state.unlisted, state.waiting) == ({}, 0, None)
