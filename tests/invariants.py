"""What holds of every run's log, whatever came in."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unbraid import events as e

REASONS = {"completed", "failed", "cancelled", "interrupted", "orphaned"}


def check(events: Sequence[e.FleetEvent]) -> None:
    """Fail if the log of a whole run breaks one of its promises."""
    assert [event.seq for event in events] == list(range(1, len(events) + 1)), "seq counts by one"
    assert [event.seq for event in events if isinstance(event, e.RequestReceived)] == [1]
    assert [event.seq for event in events if isinstance(event, e.Done)] == [len(events)]
    started: dict[int, e.StreamStart] = {}
    ended: set[int] = set()
    answering: set[int] = set()
    usages: set[tuple[int, str]] = set()
    for event in events:
        stream = event.stream_id
        if isinstance(event, e.RequestReceived | e.Done):
            assert (stream, event.depth) == (0, 0)
            continue
        if isinstance(event, e.StreamStart):
            assert stream == len(started), "streams count up in order of appearance"
            check_start(event, started)
            started[stream] = event
            continue
        assert stream in started, f"{event} precedes its stream's start"
        assert stream not in ended, f"{event} follows its stream's end"
        assert event.depth == started[stream].depth
        assert event.agent == started[stream].agent
        match event:
            case e.StreamEnd():
                assert event.reason in REASONS
                assert event.ok == (event.reason == "completed")
                ended.add(stream)
            case e.AgentStart():
                assert stream not in answering, "an agent begins to answer once"
                answering.add(stream)
            case e.Text() | e.Thinking() | e.FleetToolUse():
                assert stream in answering
            case e.FleetTokenUsage():
                key = (stream, event.message_id)
                assert key not in usages, f"usage of {key} twice"
                usages.add(key)
    assert ended == set(started), "every stream ends"
    done = events[-1]
    assert isinstance(done, e.Done)
    assert done.streams == len(started)
    check_times(events)


def check_times(events: Sequence[e.FleetEvent]) -> None:
    """Nothing happens before its run begins or after it ends, in a stream time never runs back, and
    the run lasts from its beginning to its end."""
    first, done = events[0], events[-1]
    assert isinstance(done, e.Done)
    latest: dict[int, int] = {}
    for event in events:
        assert first.ts <= event.ts <= done.ts, f"{event} happens outside of its run"
        assert event.ts >= latest.get(event.stream_id, 0), f"{event} runs back"
        latest[event.stream_id] = event.ts
    if first.ts:
        assert done.duration_ms == done.ts - first.ts


def check_start(event: e.StreamStart, started: dict[int, e.StreamStart]) -> None:
    """A parent starts before its child; the root, and only the root, has none."""
    if event.parent_stream_id is not None:
        assert event.parent_stream_id in started, "a parent starts before its child"
        assert event.depth == started[event.parent_stream_id].depth + 1
    else:
        assert event.depth == 0
        assert event.stream_id == 0 or event.resumes is not None
    assert event.resumes is None or event.resumes in started


def log_of(events: Sequence[e.FleetEvent]) -> bytes:
    """The log as bytes; each event is one JSON object of its type, on one line."""
    lines = [e.encode(event) for event in events]
    for event, line in zip(events, lines, strict=True):
        assert b"\n" not in line
        assert msgspec.json.decode(line)["type"] == event.type
    return b"\n".join(lines)
