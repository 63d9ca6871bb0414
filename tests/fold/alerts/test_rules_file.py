"""A rules file: what it says, and what is wrong in it, by line; everything else counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.fold.alerts.budget import RunLimits
from unbraid.fold.alerts.rules import DEFAULT_RULES, AlertRule, RunFilter, read_rules

WHOLE = """\
quiet = "22:00-07:30"   # at night
to = ["terminal", "phone"]
off = "prompt"

[[rule]]
when = ["permission", "failed"]
after = "1m 30s"
folder = "~/work"
kind = "claude"
agent = "rev*"
cost = 2
to = "phone"

[[rule]]
when = "repeats"
times = 4

[[budget]]
folder = "~/code/shop"
cost = 5.5
tokens = 2_000_000
time = "1h"
agents = 20

[receiver.phone]
url = "ntfys://secret-token@ntfy.example.org/agents"

[receiver.light]
command = '''
[ -x ~/light ] && ~/light
'''
"""


def test_everything_that_a_file_can_say() -> None:
    rules = read_rules(WHOLE, "/home/dev")
    assert rules.problems == ()
    assert str(rules.quiet) == "22:00-07:30"
    assert rules.to == ("terminal", "phone")
    own = AlertRule(
        ("permission", "failed"),
        after_seconds=90,
        runs=RunFilter("/home/dev/work", "claude"),
        agent="rev*",
        cost_usd=2.0,
        to=("phone",),
        line=5,
    )
    assert rules.rules[0] == own
    assert rules.rules[1].times == 4
    # The defaults stay for what no rule is about, and what is not off.
    assert [rule.when[0] for rule in rules.rules[2:]] == ["orphaned", "silent", "budget"]
    (budget,) = rules.budgets
    assert budget.limits == RunLimits(5.5, 2_000_000, 3600.0, 20)
    assert rules.receivers["light"].command == "[ -x ~/light ] && ~/light\n"
    assert "secret" not in repr(rules)


def test_an_empty_file_has_the_defaults() -> None:
    assert read_rules("").rules == DEFAULT_RULES


def test_the_old_name_of_a_condition_is_understood() -> None:
    rules = read_rules('off = "circles"\n[[rule]]\nwhen = ["circles", "done"]\n')
    assert rules.problems == ()
    assert [rule.when for rule in rules.rules if "repeats" in rule.when] == [("repeats", "done")]


BAD = [
    ('[[rule]]\nwhen = "permision"', 2, "unknown condition 'permision'"),
    ('[[rule]]\nafter = "1m"', 1, "`when` is needed"),
    ('[[rule]]\nwhen = "done"\nafter = "soon"', 3, "`after` is not a duration"),
    ('[[rule]]\nwhen = "done"\nfolder = "work"', 3, "`folder` is a whole path"),
    ('[[rule]]\nwhen = "done"\nto = "fone"', 1, "unknown receiver 'fone'"),
    ('[[rule]]\nwhen = "done"\ncolour = 1', 3, "unknown key 'colour'"),
    ('[[rule]]\nwhen = "done"\ncost = -1', 3, "`cost` is not a number of dollars"),
    ('[[rule]]\nwhen = "done\nkind = 1', 2, "not TOML"),
    ('[[rule]]\nwhen = "repeats"\ntimes = 2', 3, "`times` is at least 3"),
    ("[[rule]]\nwhen = [", 2, "not TOML"),
    ('[[budget]]\nfolder = "/w"', 1, "one of `cost`, `tokens`, `time` and `agents` is needed"),
    ("[[budget]]\ntokens = 1.5", 2, "`tokens` is not a whole number above 0"),
    ('[receiver.x]\nurl = "a"', 2, "`url` is not an address"),
    ('[receiver.x]\nwebhook = "ftp://a"', 2, "`webhook` is not an address"),
    ('[receiver.x]\nwebhook = "http://a"\ncommand = "b"', 1, "and only one"),
    ('[receiver.phone]\ncommand = "b"', 4, "the receiver 'phone' already exists"),
    ('[receiver.desktop]\ncommand = "b"', 1, "'desktop' is built in"),
    ('[rules]\nwhen = "done"', 1, "unknown table [rules]"),
    ('[rule]\nwhen = "done"', 1, "unknown table [rule]"),
]


@pytest.mark.parametrize(("text", "line", "problem"), BAD)
def test_what_is_wrong_has_its_line_and_the_other_rules_work(
    text: str, line: int, problem: str
) -> None:
    above = 'quiet = "22:00-07:00"\n\n[[rule]]\nwhen = "done"\n\n'
    below = '\n\n[receiver.phone]\ncommand = "true"\n\n[[rule]]\nwhen = "failed"\nto = "phone"\n'
    rules = read_rules(above + text + below, "/home/dev")
    (found,) = rules.problems
    assert (found.line, problem in found.text) == (5 + line, True)
    own = [rule.when for rule in rules.rules if rule.line]
    assert (own[0], own[-1]) == (("done",), ("failed",))
    assert rules.quiet is not None and "phone" in rules.receivers


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('quiet = "late"', "`quiet` is not two times"),
        ('quiet = "07:00-7:00"', "`quiet` must begin and end at different times"),
        ('to = ["x"]', "unknown receiver 'x'"),
        ("to = 3", "`to` is not a text"),
        ('off = "all"', "unknown condition"),
        ("loud = true", "unknown key"),
    ],
)
def test_a_wrong_setting_spoils_nothing_else(text: str, problem: str) -> None:
    rules = read_rules(f'{text}\n[[rule]]\nwhen = "done"\n')
    assert [(found.line, problem in found.text) for found in rules.problems] == [(1, True)]
    assert rules.rules[0].when == ("done",)


def test_headers_may_have_a_table_of_their_own_and_a_file_a_byte_order_mark() -> None:
    text = '[receiver.x]\nwebhook = "https://a"\n[receiver.x.headers]\nA = "b"\n'
    rules = read_rules(f'\ufeffquiet = "22:00-07:00"\n{text}[[rule]]\nwhen = "done"\n')
    assert (rules.problems, rules.receivers["x"].headers) == ((), {"A": "b"})
    assert rules.quiet is not None and rules.rules[0].line == 6


def test_a_problem_never_shows_a_secret() -> None:
    text = '[receiver.x]\nwebhook = "sk-secret"\n[receiver.y]\nurl = "sk-secret\n'
    rules = read_rules(text)
    assert len(rules.problems) == 2
    assert "secret" not in repr(rules.problems)


@given(st.text(alphabet="[]rule =\"\n'#budget.x12{},\\", max_size=200))
def test_no_text_raises(text: str) -> None:
    read_rules(text)
