"""What a budget reports: most of it used, and all of it, once each."""

from __future__ import annotations

from unbraid.alerts.budget import BudgetMeter, RunLimits, Spending, dollars, duration


def test_each_limit_is_reported_at_most_twice() -> None:
    meter = BudgetMeter(RunLimits(cost_usd=1.0, tokens=1000, seconds=60, agents=5))
    seen = []
    for step in range(1, 31):
        spent = Spending(step / 20, step * 10, step * 1.0, 1)
        seen += [(each.what, each.is_reached, step) for each in meter.measure(spent)]
    assert seen == [("cost", False, 16), ("cost", True, 20)]
    reached = meter.measure(Spending(2, 5000, 100, 6))
    assert sorted((each.what, each.is_reached) for each in reached) == [
        ("agents", True), ("time", True), ("tokens", True),
    ]  # fmt: skip


def test_as_many_agents_as_are_allowed_may_work() -> None:
    meter = BudgetMeter(RunLimits(agents=2))
    assert [each.is_reached for each in meter.measure(Spending(agents=2))] == [False]
    assert [each.is_reached for each in meter.measure(Spending(agents=3))] == [True]


def test_amounts_as_people_read_them() -> None:
    assert [dollars(each) for each in (0, 0.0005, 0.01, 1234.5)] == [
        "$0.00", "$0.0005", "$0.01", "$1,234.50",
    ]  # fmt: skip
    assert [duration(each) for each in (5, 119.9, 125, 600, 5400, 7200, 9000)] == [
        "5s", "119s", "2m 5s", "10m", "90m", "2h", "2h 30m",
    ]  # fmt: skip
    assert str(Spending(0.5, 1200, 61, 1, 10)) == "$0.50+, 1,200 tokens, 61s, 1 agent"
