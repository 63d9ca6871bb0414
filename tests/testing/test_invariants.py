"""`assert_fleet` finds each promise that a run breaks: a good run, spoilt in one way at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.block_rows import RECORDINGS, sources_of
from unbraid import events as e
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.testing import assert_fleet

Run = list[e.FleetEvent]


def good_run() -> Run:
    folder = RECORDINGS / "nested.plain-fwd.2.1.325"
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


def index(run: Run, kind: type[e.FleetEvent], number: int = 0) -> int:
    return [at for at, event in enumerate(run) if isinstance(event, kind)][number]


def renumbered(run: Run) -> Run:
    """The run after something was moved, added or taken away: its numbers and times still rise."""
    same = [replace(event, seq=seq, ts=run[0].ts) for seq, event in enumerate(run, 1)]
    return changed(same, e.Done, duration_ms=0) if isinstance(run[-1], e.Done) else same


def moved(run: Run, kind: type[e.FleetEvent], to: int, number: int = 0) -> Run:
    rest = [*run]
    event = rest.pop(index(run, kind, number))
    rest.insert(to if to >= 0 else len(rest) + 1 + to, event)
    return renumbered(rest)


def without(run: Run, kind: type[e.FleetEvent], number: int = 0) -> Run:
    at = index(run, kind, number)
    return renumbered(run[:at] + run[at + 1 :])


def again(run: Run, kind: type[e.FleetEvent]) -> Run:
    at = index(run, kind)
    return renumbered([*run[: at + 1], run[at], *run[at + 1 :]])


def changed(run: Run, kind: type[e.FleetEvent], number: int = 0, **fields: Any) -> Run:
    at = index(run, kind, number)
    return [*run[:at], replace(run[at], **fields), *run[at + 1 :]]


def unanswered(run: Run) -> Run:
    """An answer to a request that was never made."""
    fields: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": run[1].agent}
    reply = e.FleetPermissionReplied(seq=0, ts=0, request_id="x", behavior="allow", **fields)
    return renumbered([*run[:4], reply, *run[4:]])


def spawned_too_early(run: Run) -> Run:
    start = run[index(run, e.StreamStart, 1)]
    assert isinstance(start, e.StreamStart)
    rest = [event for event in run if event is not start]
    calls = [each for each in rest if isinstance(each, e.FleetToolUse)]
    (call,) = [each for each in calls if each.tool_use_id == start.tool_use_id]
    rest.insert(rest.index(call), start)
    return renumbered(rest)


SPOILT: dict[str, tuple[Callable[[Run], Run], str]] = {
    "a number is left out": (lambda run: changed(run, e.Text, seq=9999), "seq does not count up"),
    "no end": (lambda run: run[:-1], "done is not the last event"),
    "no beginning": (lambda run: renumbered(run[1:]), "request_received is not the first"),
    "two ends": (lambda run: again(run, e.Done), "comes twice"),
    "an agent never ends": (lambda run: without(run, e.StreamEnd), "never ends"),
    "an agent ends too early": (lambda run: moved(run, e.StreamEnd, -20, -1), "follows the end"),
    "an agent starts too late": (lambda run: moved(run, e.StreamStart, -3, 1), "precedes"),
    "a child starts before its call": (spawned_too_early, "before the call"),
    "an unknown end": (lambda run: changed(run, e.StreamEnd, reason="tired"), "'tired'"),
    "two beginnings": (lambda run: again(run, e.AgentStart), "begins to answer twice"),
    "no beginning of an answer": (
        lambda run: without(run, e.AgentStart),
        "precedes the agent_start",
    ),
    "another depth": (lambda run: changed(run, e.Text, depth=7), "another depth"),
    "a wrong parent": (
        lambda run: changed(run, e.StreamStart, 1, parent_stream_id=77),
        "before its parent",
    ),
    "a second result": (lambda run: again(run, e.FleetToolResult), "a second result"),
    "usage twice": (lambda run: again(run, e.FleetTokenUsage), "reported twice"),
    "an answer to nobody": (unanswered, "a request that nobody made"),
    "a time before all others": (lambda run: changed(run, e.Text, ts=1), "outside of its run"),
    "time runs back": (lambda run: changed(run, e.Text, -1, ts=run[0].ts), "runs back in stream"),
    "too few tokens": (lambda run: changed(run, e.Done, output_tokens=0), "output_tokens"),
    "too short": (lambda run: changed(run, e.Done, duration_ms=10**9), "the run lasts"),
    "too many streams": (lambda run: changed(run, e.Done, streams=99), "done counts 99 streams"),
}


def test_a_run_as_it_should_be() -> None:
    assert_fleet(good_run(), known=True)


@pytest.mark.parametrize("what", SPOILT)
def test_a_broken_promise_is_named(what: str) -> None:
    spoil, problem = SPOILT[what]
    with pytest.raises(AssertionError, match=problem):
        assert_fleet(spoil(good_run()), known=True)


def test_what_is_not_read_counts_where_everything_is_known() -> None:
    run = good_run()
    at = index(run, e.Text)
    fields: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": run[1].agent}
    line = e.FleetUnrecognized(seq=0, ts=0, raw=Raw(b'{"type":"new"}'), **fields)
    strange = renumbered([*run[:at], line, *run[at:]])
    assert_fleet(strange)
    with pytest.raises(AssertionError, match="is unrecognized"):
        assert_fleet(strange, known=True)
