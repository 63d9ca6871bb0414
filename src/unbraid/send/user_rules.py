"""A person's rules file: where it is, what it says now, whether its receivers can be reached, and
what its rules do about the runs of a log.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.agents.registry import tools
from unbraid.errors import CallerError
from unbraid.fold.alerts.budget import shares
from unbraid.fold.alerts.conditions import BUDGET, STANDING, Condition, RunConditions
from unbraid.fold.alerts.monitor import AlertMessage, facts_of
from unbraid.fold.alerts.rules import (
    BROWSER,
    BUILT_IN,
    DEFAULT_RULES,
    TERMINAL,
    AlertRules,
    FileProblem,
    RunFacts,
    read_rules,
)
from unbraid.log import opened_log
from unbraid.log.port import every_run, run_pages
from unbraid.screen import duration, short
from unbraid.send.senders import DeliveryError, sender_of, terminal_call
from unbraid.system.clock import now_ms
from unbraid.system.files import read_small
from unbraid.system.home import data_folder

VARIABLE = "UNBRAID_ALERTS"
FILE_NAME = "alerts.toml"


class LoadedRules(Struct):
    """Rules, the file that they are from, and what is wrong there: `FILE:LINE: PROBLEM`."""

    path: Path
    rules: AlertRules
    problems: list[str]
    is_there: bool = True
    is_open: bool = False  # others can read it


class UserRules:
    """The rules of a person, read again when their file has changed. Never raises: where a file is
    wrong, the rest of it counts, and without one the defaults do.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        named = env.get(VARIABLE)
        self.path = Path(named) if named else data_folder(env) / FILE_NAME
        self._is_named = bool(named)
        self._home = env.get("HOME") or env.get("USERPROFILE") or str(Path.home())
        self._seen: tuple[int, int, int] | None = None

    def changed(self) -> bool:
        """Returns whether the file is another than the one that was loaded."""
        return self._stamp() != self._seen

    def load(self) -> LoadedRules:
        """Returns what the file says now."""
        self._seen = self._stamp()
        nothing = AlertRules(DEFAULT_RULES)
        try:
            text = read_small(self.path, links=True).decode()
        except FileNotFoundError:
            problems = [f"{self.path}: no such rules file"] if self._is_named else []
            return LoadedRules(self.path, nothing, problems, is_there=False)
        except OSError as error:
            problem = f"{self.path}: the rules cannot be read ({error.strerror or error})"
            return LoadedRules(self.path, nothing, [problem])
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            problem = f"{self.path}:{line}: not text: the rules are not used"
            return LoadedRules(self.path, nothing, [problem])
        rules = read_rules(text, self._home.rstrip("/"))
        shown = [self._shown(each) for each in rules.problems]
        return LoadedRules(self.path, rules, shown, is_open=self._is_open())

    def _shown(self, problem: FileProblem) -> str:
        return f"{self.path}:{problem.line}: {problem.text}"

    def _is_open(self) -> bool:
        try:
            mode = self.path.stat().st_mode
        except OSError:
            return False
        return os.name == "posix" and bool(mode & (stat.S_IRGRP | stat.S_IROTH))

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns


TRIAL = AlertMessage("A test of unbraid", "Alerts about your agents arrive here.", [])


async def try_receivers(
    rules: AlertRules,
    env: Mapping[str, str],
    name: str | None = None,
    *,
    ring: Callable[[str], None],
) -> dict[str, str | None]:
    """Sends a message to one receiver, or to all that rules name; returns what went wrong with
    each, None where nothing did. `ring` writes to the terminal. Raises CallerError if there is no
    such receiver.
    """
    named = {each for rule in rules.rules for each in rules.receivers_of(rule)}
    able = (named | rules.receivers.keys() | set(BUILT_IN)) - {BROWSER}
    if name == BROWSER:
        raise CallerError(
            "only an open page can notify: turn on notifications at the top of the page"
        )
    if name is not None and name not in able:
        raise CallerError(f"unknown receiver {name!r}; available: {', '.join(sorted(able))}")
    results: dict[str, str | None] = {}
    for each in sorted(named & able if name is None else {name}):
        if each == TERMINAL:
            ring(terminal_call(TRIAL))
            results[each] = None
            continue
        try:
            await sender_of(rules.receiver(each), env)(TRIAL)
            results[each] = None
        except DeliveryError as error:
            results[each] = str(error)
    return results


class ExplainedCondition(Struct):
    """A condition of a run, and a line for each rule that is about it."""

    run: str
    what: str
    detail: str
    why: list[str]


async def explained(rules: AlertRules) -> list[ExplainedCondition]:
    """Returns what holds for the runs of this machine's log that are not over."""
    found: list[ExplainedCondition] = []
    async with opened_log() as log:
        async for summary in every_run(log, status="live"):
            run = RunConditions(summary.run, tools())
            async for page in run_pages(log, summary.run, types=STANDING):
                for entry in page:
                    run.apply(entry.event)
            run.reach(summary.updated)
            found += _of_run(rules, run, now_ms())
    return found


def _of_run(rules: AlertRules, run: RunConditions, now: int) -> list[ExplainedCondition]:
    spent = run.spending(now)
    facts = facts_of(run, now)
    found = []
    for condition in run.lasting(now):
        why = [_why(rules, number, facts, condition, now) for number in range(len(rules.rules))]
        lines = [line for line in why if line]
        if lines:
            detail = short(f"{run.title} {condition.detail}".strip(), 120)
            found.append(ExplainedCondition(run.run, condition.what, detail, why=lines))
    for budget in rules.budgets:
        if budget.runs.accepts(facts):
            used = [
                f"line {budget.line}: {each.share:.0%}, {each}"
                for each in shares(budget.limits, spent)
            ]
            found.append(ExplainedCondition(run.run, BUDGET, short(run.title, 120), why=used))
    return found


def _why(
    rules: AlertRules, number: int, facts: RunFacts, condition: Condition, now: int
) -> str | None:
    rule = rules.rules[number]
    if condition.what not in rule.when:
        return None
    name = f"line {rule.line}" if rule.line else "default"
    if not rule.accepts(facts, condition):
        return f"{name}: does not apply ({rule})"
    held = (now - condition.since) / 1000
    to = ", ".join(rules.receivers_of(rule))
    if held < rule.after_seconds:
        return f"{name}: in {duration((rule.after_seconds - held) * 1000)} → {to}"
    return f"{name}: has held for {duration(held * 1000)} → {to}"
