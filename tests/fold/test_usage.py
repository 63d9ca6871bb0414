"""What a run costs: nothing twice, nothing left out."""

from __future__ import annotations

import pytest

from unbraid.events import Done, FleetTokenUsage, FleetTurnComplete, TokenUsage
from unbraid.fold.usage import Totals, Usage


def test_messages_add_up() -> None:
    totals = Totals()
    totals.seen.add(TokenUsage(input_tokens=1, output_tokens=2, cost_usd=0.5))
    totals.seen.add(TokenUsage(input_tokens=3, cache_read_tokens=4, cost_usd=0.25))
    assert totals.total() == Usage(4, 2, 4, 0, 0.75)
    assert totals.total().total_tokens == 10


def test_the_latest_account_replaces_the_one_before_and_fills_what_was_hidden() -> None:
    totals = Totals()
    totals.seen.add(TokenUsage(input_tokens=100, output_tokens=50))
    totals.turn_over(TokenUsage(input_tokens=150, output_tokens=10), 0.1)
    totals.turn_over(TokenUsage(input_tokens=300, output_tokens=20), 0.3)
    assert totals.total() == Usage(300, 50, 0, 0, 0.3)


def test_a_turn_without_an_account_changes_nothing() -> None:
    totals = Totals()
    totals.turn_over(TokenUsage(input_tokens=5), 0.1)
    totals.turn_over(None, None)
    assert totals.total() == Usage(5, 0, 0, 0, 0.1)


def message(**given: object) -> FleetTokenUsage:
    """A message of the log."""
    place = {"seq": 1, "ts": 1, "stream_id": 0, "depth": 0, "agent": "main", "message_id": "m"}
    counts = dict.fromkeys(
        ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"), 0
    )
    return FleetTokenUsage(**(place | {"model": "m"} | counts | given))  # type: ignore[arg-type]


def turn(**given: object) -> FleetTurnComplete:
    """The end of a turn in the log."""
    place = {"seq": 1, "ts": 1, "stream_id": 0, "depth": 0, "agent": "main"}
    return FleetTurnComplete(**(place | {"ok": True, "subtype": ""} | given))  # type: ignore[arg-type]


def total_of(*events: object) -> Usage:
    totals = Totals()
    for event in events:
        totals.fold(event)
    return totals.total()


def test_reported_and_computed_dollars_are_kept_apart() -> None:
    total = total_of(
        message(input_tokens=10, estimated_usd=0.25),
        message(input_tokens=10, cost_usd=1.0),
        message(input_tokens=7),
    )
    assert total == Usage(27, 0, 0, 0, 1.0, 0.25, 7)


def test_a_reported_total_covers_what_was_used_before_it_and_the_rest_is_computed() -> None:
    before = message(input_tokens=100, estimated_usd=0.3)
    report = turn(cost_usd=0.4, input_tokens=120)
    assert total_of(before, report) == Usage(120, 0, 0, 0, 0.4)
    after = message(input_tokens=50, estimated_usd=0.1)
    total = total_of(before, report, after)
    assert (total.cost_usd, total.input_tokens) == (0.4, 150)
    assert total.estimated_usd == pytest.approx(0.1)


def test_what_an_account_leaves_out_stays_computed() -> None:
    """A process that was killed has reported nothing, and the next one only what it used itself."""
    killed = message(input_tokens=100, estimated_usd=0.3)
    later = message(input_tokens=100, estimated_usd=0.3)
    total = total_of(killed, later, turn(cost_usd=0.25, input_tokens=100))
    assert (total.input_tokens, total.cost_usd) == (200, 0.25)
    assert total.estimated_usd == pytest.approx(0.3)
    unpriced = total_of(message(input_tokens=30), turn(cost_usd=0.25, input_tokens=10))
    assert (unpriced.cost_usd, unpriced.unpriced_tokens) == (0.25, 20)


def test_messages_that_a_slow_source_brings_after_the_report_are_not_counted_twice() -> None:
    report = turn(cost_usd=0.4, input_tokens=120)
    late = message(input_tokens=120, estimated_usd=0.3)
    assert total_of(report, late) == Usage(120, 0, 0, 0, 0.4)


def test_the_account_of_a_new_process_is_added_to_the_one_before() -> None:
    total = total_of(turn(cost_usd=0.4, input_tokens=120), turn(cost_usd=0.1, input_tokens=30))
    assert total == Usage(150, 0, 0, 0, 0.5)


def test_done_has_the_last_word() -> None:
    place = {"seq": 1, "ts": 1, "stream_id": 0, "depth": 0, "agent": "main"}
    counts = {"input_tokens": 5, "output_tokens": 6, "cache_read_tokens": 7}
    done = Done(**place, ok=True, streams=1, **counts, cache_creation_tokens=8, estimated_usd=0.2)  # type: ignore[arg-type]
    assert total_of(message(input_tokens=1), done) == Usage(5, 6, 7, 8, None, 0.2)
