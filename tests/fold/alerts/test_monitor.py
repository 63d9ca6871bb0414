"""When alerts are due: after as long as a rule wants, once, not at night, many in one message."""

from __future__ import annotations

from tests.fold.alerts.made import Maker, helper
from unbraid import events as e
from unbraid.fold.alerts.conditions import APPLIED, Condition
from unbraid.fold.alerts.monitor import (
    ALERT_GATHER_MS,
    ALERT_INTERVAL_MS,
    Alert,
    AlertMonitor,
    MessageSchedule,
    message,
)
from unbraid.fold.alerts.rules import read_rules
from unbraid.timings import ALERT_STALE_MS

NOON = 12 * 60
NIGHT = 23 * 60


def monitor(text: str = "", started: int = 0) -> AlertMonitor:
    to = "" if "\nto =" in f"\n{text}" else 'to = "terminal"\n'
    return AlertMonitor(read_rules(to + text, "/home/dev"), started)


def feed(monitor: AlertMonitor, events: list[e.FleetEvent], run: str = "r") -> None:
    for event in events:
        if event.type in APPLIED:
            monitor.apply(run, event)
        else:
            monitor.note(run, event.stream_id, event.ts)


def whats(alerts: list[Alert]) -> list[tuple[str, str]]:
    return [(alert.run.run, alert.condition.what) for alert in alerts]


def test_a_permission_is_due_when_it_has_waited_and_only_once() -> None:
    maker, watched = Maker(), monitor()
    feed(watched, [*maker.begin(), maker.asked("r1")])
    assert watched.due(maker.ts + 9_999, NOON) == []
    assert whats(watched.due(maker.ts + 10_000, NOON)) == [("r", "permission")]
    assert watched.due(maker.ts + 20_000, NOON) == []
    feed(watched, [maker.replied("r1"), maker.asked("r2")])
    assert whats(watched.due(maker.ts + 10_000, NOON)) == [("r", "permission")]


def test_one_that_was_answered_in_time_alerts_nobody() -> None:
    maker, watched = Maker(), monitor()
    feed(watched, [*maker.begin(), maker.asked("r1"), maker.replied("r1")])
    assert watched.due(maker.ts + 60_000, NOON) == []


def test_silence_again_is_another_alert() -> None:
    maker, watched = Maker(), monitor('[[rule]]\nwhen = "silent"\nafter = "5m"')
    feed(watched, [*maker.begin(), maker.text()])
    assert whats(watched.due(maker.ts + 300_000, NOON)) == [("r", "silent")]
    assert watched.due(maker.ts + 900_000, NOON) == []
    feed(watched, [maker.text()])
    assert whats(watched.due(maker.ts + 300_000, NOON)) == [("r", "silent")]


def test_in_quiet_hours_nothing_is_due_and_after_them_what_still_counts() -> None:
    maker, watched = Maker(), monitor('quiet = "22:00-07:00"')
    feed(watched, [*maker.begin(), maker.asked("r1"), maker.asked("r2")])
    feed(watched, [*maker.begin(), maker.end(), maker.done()], "failed")
    assert watched.due(maker.ts + 20_000, NIGHT) == []
    feed(watched, [maker.replied("r1")])
    morning = maker.ts + 8 * 3_600_000
    assert sorted(whats(watched.due(morning, 7 * 60))) == [
        ("failed", "failed"),
        ("r", "permission"),
    ]
    assert watched.due(morning + 1000, NOON) == []


def test_history_alerts_nobody() -> None:
    maker = Maker()
    events = [*maker.begin(), maker.asked("r1"), maker.end(), maker.done()]
    waiting = [*Maker().begin(), Maker().asked("r1")]
    watched = monitor(started=maker.ts + ALERT_STALE_MS + 60_000)
    feed(watched, events)
    feed(watched, waiting, "waits")
    assert watched.due(maker.ts + ALERT_STALE_MS + 60_000, NOON) == []


def test_rules_select_by_folder_kind_agent_and_cost() -> None:
    rules = """
        [[rule]]
        when = "failed"
        folder = "~/code/*/api"
        kind = "open*"
        agent = "review*"
        cost = 1
    """
    cases = [
        ("/home/dev/code/shop/api/src", "opencode", "reviewer", 1.5, True),
        ("/home/dev/code/shop/api", "opencode", "reviewer", 1.0, True),
        ("/home/dev/code/shop/apis", "opencode", "reviewer", 1.5, False),
        ("/home/dev/code/shop/api", "claude", "reviewer", 1.5, False),
        ("/home/dev/code/shop/api", "opencode", "helper", 1.5, False),
        ("/home/dev/code/shop/api", "opencode", "reviewer", 0.5, False),
    ]
    for cwd, kind, agent, cost, expected in cases:
        maker, watched = Maker(), monitor(rules)
        start = maker.start(1, agent)
        spent = maker.usage(10, cost, helper(1, agent))
        end = maker.end(helper(1, agent))
        feed(watched, [*maker.begin(cwd, kind), start, spent, end])
        assert bool(watched.due(maker.ts, NOON)) == expected, (cwd, kind, agent, cost)


def test_the_end_of_a_sub_agent_alerts_nobody_unless_a_rule_names_agents() -> None:
    maker, watched = Maker(), monitor()
    feed(watched, [*maker.begin(), maker.start(1), maker.end(helper(1))])
    assert watched.due(maker.ts, NOON) == []


def test_a_hundred_agents_that_fail_at_once_are_one_message() -> None:
    watched = monitor('[[rule]]\nwhen = "failed"\nagent = "*"')
    maker = Maker(step=10)
    feed(watched, [*maker.begin(), *(maker.start(n) for n in range(1, 51))])
    feed(watched, [maker.end(helper(n)) for n in range(1, 51)])
    for number in range(50):
        feed(watched, [*maker.begin(), maker.end(), maker.done()], f"run{number}")
    schedule, sent = MessageSchedule(), []
    for now in range(maker.ts, maker.ts + 120_000, 500):
        for alert in watched.due(now, NOON):
            schedule.add(alert, now)
        if alerts := schedule.pop_due(now):
            sent.append(message(alerts))
    (one,) = sent
    assert one.title == "100 agents have failed"
    assert len(one.body.splitlines()) == 11 and one.body.endswith("and 90 more")
    assert len(one.alerts) == 100


def test_messages_keep_their_distance() -> None:
    maker, watched = Maker(), monitor()
    feed(watched, [*maker.begin(), maker.asked("r1")])
    (alert,) = watched.due(maker.ts + 10_000, NOON)
    schedule = MessageSchedule()
    schedule.add(alert, 0)
    assert schedule.pop_due(ALERT_GATHER_MS - 1) == []
    assert schedule.pop_due(ALERT_GATHER_MS) == [alert]
    schedule.add(alert, ALERT_GATHER_MS + 1)
    assert schedule.pop_due(2 * ALERT_GATHER_MS + 1) == []
    assert schedule.pop_due(ALERT_GATHER_MS + ALERT_INTERVAL_MS) == [alert]


def test_a_message_shows_nothing_that_a_terminal_acts_on() -> None:
    maker, watched = Maker(), monitor()
    hostile = "\x1b]0;owned\x07\u202e" + "x" * 5000
    feed(watched, [*maker.begin(hostile), maker.asked("r1", command=hostile)])
    shown = message(watched.due(maker.ts + 10_000, NOON))
    text = shown.title + shown.body + repr(shown.alerts)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert len(shown.body) < 1000
    assert shown.title == "Fix the tests: waits for permission"


def test_agents_are_counted_and_not_their_alerts() -> None:
    maker, watched = Maker(), monitor()
    feed(watched, [*maker.begin(), maker.asked("q1"), maker.asked("q2")])
    shown = watched.due(maker.ts + 20_000, NOON)
    assert message(shown).title == "Fix the tests: waits for permission"
    feed(watched, [*Maker().begin(), Maker().asked("q1")], "other")
    feed(watched, [maker.end()])
    shown += watched.due(maker.ts + 20_000, NOON)
    assert message(shown).title == "2 agents need you: 2 wait for permission, 1 has failed"


def test_budgets_of_folders_notice_and_stop_once() -> None:
    rules = 'quiet = "22:00-07:00"\n'
    rules += '[[budget]]\nfolder = "/srv/shop"\ncost = 1\n[[budget]]\nfolder = "/other"\ncost = 0.1'
    maker, watched = Maker(), monitor(rules)
    feed(watched, [*maker.begin(), maker.usage(10, 0.79)])
    assert (watched.due(maker.ts, NOON), watched.pop_stops()) == ([], [])
    feed(watched, [maker.usage(10, 0.02)])
    (notice,) = watched.due(maker.ts, NOON)
    assert notice.condition.detail == "81% of its budget: ≈$0.81 of $1.00"
    assert "claude · /srv/shop · ≈$0.81" in message([notice]).body
    feed(watched, [maker.usage(10, 0.3)])
    assert watched.due(maker.ts, NOON) == []
    (stop,) = watched.pop_stops()
    stop.goes_on()
    assert (watched.due(maker.ts, NOON), watched.pop_stops()) == ([], []), "it spends nothing"
    feed(watched, [maker.usage(10, 0.0)])
    assert watched.due(maker.ts, NOON) == []
    (stop,) = watched.pop_stops()
    stopped = Condition("budget", "budget cost $1.00 stop", maker.ts)
    watched.add(stop.run, stopped)
    assert watched.due(maker.ts, NIGHT) == []
    assert [alert.condition for alert in watched.due(maker.ts, NOON)] == [stopped]
    assert (stop.run.run, str(stop.limit), stop.spent.tokens) == ("r", "≈$1.11 of $1.00", 40)
    feed(watched, [maker.usage(10, 0.3)])
    assert (watched.due(maker.ts, NOON), watched.pop_stops()) == ([], [])


def test_what_is_over_is_forgotten() -> None:
    watched = monitor()
    for number in range(100):
        maker = Maker()
        feed(watched, [*maker.begin(), maker.end(), maker.done()], f"r{number}")
        watched.due(maker.ts, NOON)
    assert watched.runs == 0
