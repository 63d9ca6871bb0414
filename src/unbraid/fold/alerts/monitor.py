"""Decides for all runs which alerts are due now, and puts them into messages. Time comes from
outside.

An alert is due when its condition has held for as long as its rule wants, once for each occurrence
and receiver. What became due long before this process looked is history and causes no alert. So
reading an old session causes no alert either. In quiet hours nothing is due; what still holds after
them, and what has happened in them, is.

Alerts of one moment are one message, and however many come, messages keep their distance. Titles,
tools and errors are the agents' words. They are cleaned and shortened here, so that no terminal and
no service acts on them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from unbraid import events as e
from unbraid.fold.alerts.budget import BudgetMeter, BudgetShare, Spending
from unbraid.fold.alerts.conditions import BUDGET, REPEATS, SILENT, Condition, RunConditions
from unbraid.fold.alerts.rules import AlertRules, RunFacts
from unbraid.fold.status import DONE, FAILED, ORPHANED, PERMISSION, PROMPT
from unbraid.fold.tool_formats import ToolTable
from unbraid.screen import short
from unbraid.timings import ALERT_STALE_MS

# A run is examined again after this time, whatever its conditions say.
ALERT_EXAMINE_MS = 300_000
# Alerts of one moment are one message: a fleet that fails does so within a second or two.
ALERT_GATHER_MS = 2_000
# The next message to the same receiver waits this long, and takes along what comes meanwhile.
ALERT_INTERVAL_MS = 30_000
MAX_HELD = 10_000


class Alert(Struct, frozen=True):
    """A condition of a run that one receiver is to be alerted about. `id` names the occurrence, for
    every process that could send it.
    """

    receiver: str
    condition: Condition
    run: RunFacts

    @property
    def id(self) -> str:
        """What it is known by."""
        return f"{self.receiver} {self.run.run} {self.condition.key}"


class SpentBudget(Struct, frozen=True):
    """A run that has reached a limit, and is to be stopped."""

    run: RunFacts
    limit: BudgetShare
    spent: Spending
    meter: BudgetMeter

    def goes_on(self) -> None:
        """Marks that it could not be stopped: that is tried again while it spends."""
        self.meter.reopen(self.limit, self.spent)


class AlertMonitor:
    """Applies the events of all runs, and returns alerts when they are due."""

    def __init__(self, rules: AlertRules, started_ms: int, tools: ToolTable | None = None) -> None:
        self._rules, self._started_ms, self._tools = rules, started_ms, tools
        self._runs: dict[str, RunConditions] = {}
        self._next: dict[str, int] = {}  # when to examine a run again; 0 is at once
        self._queue: list[tuple[int, str]] = []  # the same by time, and times that were put off
        self._meters: dict[str, list[BudgetMeter]] = {}
        self._sent: dict[str, set[str]] = {}
        self._happened: list[tuple[RunFacts, Condition]] = []
        self._held: dict[str, tuple[RunFacts, Condition]] = {}  # moments of quiet hours, by key
        self._stops: list[SpentBudget] = []
        self._was_quiet = False

    def use(self, rules: AlertRules) -> None:
        """Continues with other rules; what was sent by the earlier ones is not sent again."""
        self._rules = rules
        self._meters.clear()
        for run in self._runs:
            self._schedule(run, 0)

    def note(self, run: str, stream_id: int, ts: int) -> None:
        """Applies an event of no type of `APPLIED`: an agent of a run has said something."""
        if (known := self._runs.get(run)) is not None:
            self._schedule(run, 0)
            known.note(stream_id, ts)

    def reach(self, run: str, ts: int) -> None:
        """Marks that a run, of which not all events were applied, is known up to a time."""
        if (known := self._runs.get(run)) is not None:
            self._schedule(run, 0)
            known.reach(ts)

    def apply(self, run: str, event: e.FleetEvent) -> None:
        """Applies one more event of a run."""
        known = self._runs.get(run)
        if known is None:
            known = self._runs[run] = RunConditions(run, self._tools)
        self._schedule(run, 0)
        known.apply(event)

    def add(self, run: RunFacts, condition: Condition) -> None:
        """Adds something that has happened to a run from outside."""
        self._happened.append((run, condition))

    def due(self, now_ms: int, minute_of_day: int) -> list[Alert]:
        """Returns the alerts that are due, each once."""
        quiet = self._rules.quiet is not None and self._rules.quiet.hold(minute_of_day)
        found: dict[str, Alert] = {}
        if not quiet:
            for facts, condition in self._held.values():
                self._send(found, facts, condition)
            self._held.clear()
        if self._was_quiet and not quiet:
            for name in self._runs:
                self._schedule(name, 0)
        self._was_quiet = quiet
        happened, self._happened = self._happened, []
        for facts, condition in happened:
            self._moment(found, facts, condition, quiet=quiet)
        for name in self._due_runs(now_ms):
            run = self._runs[name]
            facts = facts_of(run, now_ms)
            lasting = run.lasting(now_ms)
            moments = [*run.pop_moments(), *self._budget(run, facts, now_ms)]
            for condition in moments:
                self._moment(found, facts, condition, quiet=quiet)
            if not quiet:
                for condition in lasting:
                    self._send(found, facts, condition, due_by=now_ms)
            # Time may be limited, too, and is spent without a word.
            is_limited = self._rules.budgets and self._meters.get(name) != []
            self._schedule(name, 0 if is_limited else self._next_time(lasting, now_ms))
            self._forget(name, run, lasting)
        return list(found.values())

    def _schedule(self, run: str, at: int) -> None:
        if self._next.get(run) != at:
            self._next[run] = at
            heapq.heappush(self._queue, (at, run))

    def _due_runs(self, now_ms: int) -> list[str]:
        """Returns the runs to examine now, the longest known first. A machine has thousands, and
        nearly all of them stand still.
        """
        due = set()
        while self._queue and self._queue[0][0] <= now_ms:
            at, run = heapq.heappop(self._queue)
            if self._next.get(run) == at:
                del self._next[run]
                due.add(run)
        return [run for run in self._runs if run in due] if due else []

    def _next_time(self, lasting: list[Condition], now_ms: int) -> int:
        """Returns when something may be due that only takes time."""
        due = [
            condition.since + round(rule.after_seconds * 1000)
            for condition in lasting
            for rule in self._rules.rules
        ]
        return min([now_ms + ALERT_EXAMINE_MS, *(each for each in due if each > now_ms)])

    def pop_stops(self) -> list[SpentBudget]:
        """Returns the runs that have reached a limit since the last call."""
        stops, self._stops = self._stops, []
        return stops

    @property
    def runs(self) -> int:
        """How many runs it follows."""
        return len(self._runs)

    def _moment(
        self, found: dict[str, Alert], run: RunFacts, condition: Condition, *, quiet: bool
    ) -> None:
        if condition.since < self._started_ms - ALERT_STALE_MS:
            return
        if not quiet:
            self._send(found, run, condition)
        elif len(self._held) < MAX_HELD:
            self._held[f"{run.run} {condition.key}"] = run, condition

    def _send(
        self,
        found: dict[str, Alert],
        run: RunFacts,
        condition: Condition,
        *,
        due_by: int | None = None,
    ) -> None:
        """Adds the alerts of a condition; of one that lasts, those that are due by a time."""
        oldest, sent = self._started_ms - ALERT_STALE_MS, self._sent.setdefault(run.run, set())
        for rule in self._rules.rules:
            due = condition.since + round(rule.after_seconds * 1000)
            if due_by is not None and not oldest <= due <= due_by:
                continue
            names = self._rules.receivers_of(rule) if rule.accepts(run, condition) else ()
            for name in names:
                alert = Alert(name, condition, run)
                if alert.id not in sent:
                    sent.add(alert.id)
                    found[alert.id] = alert

    def _budget(self, run: RunConditions, facts: RunFacts, now_ms: int) -> Iterable[Condition]:
        if not self._rules.budgets or run.state.over:
            return
        meters = self._meters.get(run.run)
        if meters is None:
            matching = (each for each in self._rules.budgets if each.runs.accepts(facts))
            meters = [BudgetMeter(each.limits) for each in matching]
            # A run's folder may become known later than its first event.
            if facts.cwd:
                self._meters[run.run] = meters
        spent = run.spending(now_ms)
        for number, meter in enumerate(meters):
            for each in meter.measure(spent):
                if each.is_reached:
                    self._stops.append(SpentBudget(facts, each, spent, meter=meter))
                    continue
                key = f"budget {number} {each.what} {each.limit} notice"
                detail = f"{each.share:.0%} of its budget: {each}"
                yield Condition(BUDGET, key, now_ms, detail=detail)

    def _forget(self, name: str, run: RunConditions, lasting: list[Condition]) -> None:
        if run.over:
            del self._runs[name]
            self._next.pop(name, None)
            self._meters.pop(name, None)
            if not any(run.run == name for run, _ in self._held.values()):
                self._sent.pop(name, None)
            return
        sent = self._sent.get(name)
        if sent is not None and len(sent) > 100:
            # Occurrences that are past never come back.
            now = {condition.key for condition in lasting}
            passing = ("permission ", "prompt ", "silent ")
            keep = set()
            for each in sent:
                key = each.split(f" {name} ", 1)[1]
                if key in now or not key.startswith(passing):
                    keep.add(each)
            self._sent[name] = keep


def facts_of(run: RunConditions, now_ms: int) -> RunFacts:
    """Returns what rules and messages need to know of a run."""
    spent = run.spending(now_ms)
    return RunFacts(
        run.run,
        kind=run.kind,
        cwd=run.cwd,
        title=run.title,
        cost_usd=spent.cost_usd,
        dollars=spent.dollars,
    )


MAX_WAITING = 10_000


class MessageSchedule:
    """The alerts that wait for one receiver."""

    def __init__(self) -> None:
        self._waiting: list[Alert] = []
        self._due = 0
        self._last = -ALERT_INTERVAL_MS

    def add(self, alert: Alert, now_ms: int) -> None:
        """Adds an alert to the next message."""
        if not self._waiting:
            self._due = max(now_ms + ALERT_GATHER_MS, self._last + ALERT_INTERVAL_MS)
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(alert)

    def pop_due(self, now_ms: int, *, at_once: bool = False) -> list[Alert]:
        """Returns the alerts of the message that is to be sent now; none if none is."""
        if not self._waiting or (now_ms < self._due and not at_once):
            return []
        alerts, self._waiting = self._waiting, []
        self._last = now_ms
        return alerts


MAX_LINES = 10
TITLE_CHARS, LINE_CHARS = 100, 240

# What has happened to one agent, and to many.
_HAPPENED = {
    PERMISSION: ("waits for permission", "wait for permission"),
    PROMPT: ("waits for a prompt", "wait for a prompt"),
    DONE: ("is done", "are done"),
    FAILED: ("has failed", "have failed"),
    ORPHANED: ("is gone: its process has ended", "are gone"),
    SILENT: ("has been silent while working", "are silent"),
    REPEATS: ("repeats itself", "repeat themselves"),
    BUDGET: ("is near its budget", "are near their budget"),
}
# Of a budget there is a notice first.
NOTICE = "notice"
_REACHED = "has reached its budget", "have reached their budget"


class AlertItem(Struct, frozen=True):
    """One alert of a message, for programs that read it."""

    when: str
    run: str
    agent: str
    stream_id: int
    kind: str
    folder: str
    title: str
    detail: str
    since: int
    cost_usd: float


class AlertMessage(Struct, frozen=True):
    """What a receiver gets: plain text, cleaned and bounded."""

    title: str
    body: str
    alerts: list[AlertItem]


def message(alerts: Sequence[Alert]) -> AlertMessage:
    """Returns one message for some alerts."""
    items = [_item(alert) for alert in alerts]
    if len(alerts) == 1:
        return AlertMessage(short(_line(alerts[0]), TITLE_CHARS), _body(alerts[0]), items)
    # What has happened to how many agents: the same agent may ask for several permissions.
    whom = {(_happened(each.condition), _agent_of(each)): None for each in alerts}
    kinds = Counter(happened for happened, _ in whom)
    agents = len({_agent_of(each) for each in alerts})
    if agents == 1:
        title = _line(alerts[0], ", ".join(one for one, _ in kinds))
    elif len(kinds) == 1:
        (((_, many), number),) = kinds.items()
        title = f"{number} agents {many}"
    else:
        parts = (f"{number} {many if number > 1 else one}" for (one, many), number in kinds.items())
        title = f"{agents} agents need you: {', '.join(parts)}"
    lines = [short(_line(alert), LINE_CHARS) for alert in alerts[:MAX_LINES]]
    if len(alerts) > MAX_LINES:
        lines.append(f"and {len(alerts) - MAX_LINES} more")
    return AlertMessage(short(title, LINE_CHARS), "\n".join(lines), items)


def _happened(condition: Condition) -> tuple[str, str]:
    is_reached = condition.what == BUDGET and not condition.key.endswith(NOTICE)
    return _REACHED if is_reached else _HAPPENED[condition.what]


def _item(alert: Alert) -> AlertItem:
    condition, run = alert.condition, alert.run
    return AlertItem(
        when=condition.what,
        run=short(run.run),
        agent=short(condition.agent),
        stream_id=condition.stream_id,
        kind=short(run.kind),
        folder=short(run.cwd, 1000),
        title=short(run.title),
        detail=short(condition.detail, LINE_CHARS),
        since=condition.since,
        cost_usd=run.cost_usd,
    )


def _agent_of(alert: Alert) -> tuple[str, int]:
    return alert.run.run, alert.condition.stream_id


def _line(alert: Alert, happened: str = "") -> str:
    condition, run = alert.condition, alert.run
    happened = happened or _happened(condition)[0]
    agent = f"{condition.agent} " if condition.stream_id and condition.agent else ""
    return f"{short(run.title or run.run, 60)}: {agent}{happened}"


def _body(alert: Alert) -> str:
    condition, run = alert.condition, alert.run
    about = (run.kind, run.cwd, run.dollars if run.cost_usd else "")
    lines = (
        condition.detail,
        " · ".join(part for part in about if part),
        f"unbraid attach {run.run}",
    )
    return "\n".join(short(line, LINE_CHARS) for line in lines if line)
