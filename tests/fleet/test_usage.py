"""What a run costs: nothing twice, nothing left out."""

from __future__ import annotations

from unbraid.events import TokenUsage
from unbraid.fleet.usage import Totals, Usage


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
