"""What a budget reports: most of it used, and all of it, once each."""

from __future__ import annotations

from unbraid.fold.alerts.budget import BudgetMeter, RunLimits, Spending, shares


def test_each_limit_is_reported_twice() -> None:
    meter = BudgetMeter(RunLimits(cost_usd=1.0, tokens=1000, seconds=60, agents=5))
    seen = []
    for step in range(1, 31):
        spent = Spending(step / 20, step * 10, step * 1.0, 1)
        seen += [(each.what, each.is_reached, step) for each in meter.measure(spent)]
    assert seen == [("cost", False, 16), ("cost", True, 20)]
    reached = meter.measure(Spending(1.7, 5000, 100, 6))
    assert sorted((each.what, each.is_reached) for each in reached) == [
        ("agents", True), ("time", True), ("tokens", True),
    ]  # fmt: skip


def test_who_goes_on_spends_as_much_again() -> None:
    meter = BudgetMeter(RunLimits(cost_usd=5, tokens=0))
    seen = []
    for dollars in (1, 4, 4.5, 5.2, 8.9, 9, 9.5, 10, 27, 28.9, 29, 31, 31):
        found = meter.measure(Spending(dollars, 100))
        seen += [(each.is_reached, str(each)) for each in found]
    assert seen == [
        (True, "100 of 0 tokens"),
        (False, "$4.00 of $5.00"),
        (True, "$5.20 of $5.00"),
        (False, "$9.00 of $10.00, 2 times its limit"),
        (True, "$10.00 of $10.00, 2 times its limit"),
        (True, "$27.00 of $15.00, 3 times its limit"),
        (False, "$29.00 of $30.00, 6 times its limit"),
        (True, "$31.00 of $30.00, 6 times its limit"),
    ]


def test_as_many_agents_as_are_allowed_may_work() -> None:
    meter = BudgetMeter(RunLimits(agents=2))
    assert [each.is_reached for each in meter.measure(Spending(agents=2))] == [False]
    assert [each.is_reached for each in meter.measure(Spending(agents=3))] == [True]


def test_amounts_as_people_read_them() -> None:
    spent = Spending(0.5, 1200, 61, 1, 10, estimated_usd=0.2)
    assert str(spent) == "≈$0.50+, 1.2k tokens, 1m 01s, 1 agent"
    limits = RunLimits(cost_usd=0.0005, tokens=4300, seconds=5400, agents=2)
    assert str(limits) == "$0.0005, 4.3k tokens, 1h 30m, 2 agents"
    assert [str(each) for each in shares(RunLimits(cost_usd=1234.5), Spending(0.005))] == [
        "<$0.01 of $1,234.50",
    ]  # fmt: skip
