"""Sessions as OpenCode 1.18.33 really exported them: a parent, and the child it spawned."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid import events as e
from unbraid.record.sessions.sources import events_of, runs_of_sources

EXPORTS = Path(__file__).parent / "exports"
PARENT, CHILD = str(EXPORTS / "parent.json"), str(EXPORTS / "child.json")


def texts(events: list[e.FleetEvent]) -> list[tuple[int, str]]:
    return [(event.stream_id, event.delta) for event in events if isinstance(event, e.Text)]


@pytest.mark.parametrize("names", [(PARENT, CHILD), (CHILD, PARENT)])
def test_a_child_joins_its_parents_run(names: tuple[str, str]) -> None:
    (run,) = runs_of_sources(names, {})
    events = list(events_of(run))
    assert texts(events) == [
        (0, "I ask one."),
        (1, "a looks"),
        (1, "a is done"),
        (0, "All is well."),
    ]
    assert all(event.ok for event in events if isinstance(event, e.StreamEnd))


def test_a_child_alone_has_ended_well() -> None:
    (run,) = runs_of_sources([CHILD], {})
    events = list(events_of(run))
    assert [words for _, words in texts(events)] == ["a looks", "a is done"]
    ends = {event.stream_id: event.reason for event in events if isinstance(event, e.StreamEnd)}
    assert ends[1] == "completed"
