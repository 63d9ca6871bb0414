"""Which conditions the runs of a log have now, and what each rule does about them."""

from __future__ import annotations

from msgspec import Struct

from unbraid.agents.registry import tools
from unbraid.alerts.budget import shares
from unbraid.alerts.conditions import BUDGET, STANDING, Condition, RunConditions
from unbraid.alerts.monitor import facts_of
from unbraid.alerts.rules import AlertRules, RunFacts
from unbraid.log import opened_log
from unbraid.log.port import every_run, run_pages
from unbraid.screen import duration, short
from unbraid.system.clock import now_ms


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
