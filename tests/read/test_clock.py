"""When a record happened: as it says, else when it arrived, if it is read live."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unbraid.read.clock import Clock
from unbraid.timings import LIVE_RECORD_MS

NOW = 1_800_000_000_000
DAY = 86_400_000


def test_a_record_without_a_time_happened_when_it_arrived() -> None:
    clock = Clock()
    clock.arrived = NOW
    clock.tick()
    assert clock.ts == NOW
    clock.arrived = NOW + 500
    clock.set(NOW + 400)
    assert clock.ts == NOW + 400
    clock.tick()
    assert clock.ts == NOW + 500


def test_without_arrivals_it_happened_when_the_record_before_it_did() -> None:
    clock = Clock()
    clock.tick()
    assert clock.ts == 0
    clock.set("2026-11-15T07:14:50.739Z")
    clock.tick()
    assert clock.ts == clock.own == 1_794_726_890_739


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-11-15T07:14:50.739Z",
        "2026-11-15T07:14:59.999Z",
        "2026-11-15T07:15:00.000Z",
        "2026-11-15T07:14:50Z",
        "2026-11-15T07:14:50+0100",  # as long as one with milliseconds
        "2026-11-15T07:14:50.739+01:00",
    ],
)
def test_a_time_is_what_its_text_says_whichever_came_before(stamp: str) -> None:
    clock = Clock()
    clock.set("2026-11-15T07:14:01.001Z")
    clock.set(stamp)
    expected = datetime.fromisoformat(stamp).astimezone(UTC).timestamp() * 1000
    assert clock.ts == round(expected)


def test_what_is_no_time_counts_as_none() -> None:
    clock = Clock()
    clock.set("2026-11-15T07:14:01.001Z")
    for stamp in (
        "2026-11-15T07:14:60.000Z",
        "2026-11-15T07:14:5x.000Z",
        "2026-11-35T07:14:50.000Z",
    ):
        clock.set(stamp)
        assert clock.ts == 1_794_726_841_001


def test_what_was_stored_keeps_its_own_times_and_becomes_live_when_it_goes_on() -> None:
    clock = Clock()
    clock.arrived = NOW
    clock.set(NOW - DAY)
    clock.tick()
    assert clock.ts == NOW - DAY
    clock.set(NOW - 10)
    clock.arrived = NOW + 20
    clock.tick()
    assert clock.ts == NOW + 20


def test_what_was_held_turns_the_clock_back_only_while_it_is_translated() -> None:
    clock = Clock()
    clock.set(2000)
    with clock.at(500):
        assert clock.ts == 500
        with clock.at(clock.ts):
            clock.set(700)
            assert clock.ts == 700
        assert clock.ts == 500
    assert clock.ts == 2000
    with pytest.raises(ValueError), clock.at(1):
        raise ValueError
    assert clock.ts == 2000


def test_a_recording_that_begins_without_times_is_moved_as_a_whole() -> None:
    clock = Clock()
    clock.arrived = NOW
    clock.tick()
    clock.set(NOW - DAY)
    assert clock.ts == NOW
    clock.set(NOW - DAY + 390)
    assert clock.ts == NOW + 390


def test_nothing_happens_long_after_it_has_arrived_and_a_time_that_is_none_counts_as_none() -> None:
    clock = Clock()
    clock.arrived = NOW
    clock.set(NOW + DAY)
    assert clock.ts == NOW + LIVE_RECORD_MS
    clock = Clock()
    clock.arrived = NOW
    clock.set("yesterday")
    assert clock.ts == NOW
