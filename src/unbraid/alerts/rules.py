"""Which conditions of which runs alert which receivers, and what runs may spend."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct, field

from unbraid.alerts.budget import RunLimits
from unbraid.alerts.conditions import BUDGET, REPEATS, SILENT, Condition
from unbraid.fleet.status import FAILED, ORPHANED, PERMISSION, PROMPT
from unbraid.screen import SpentDollars, cost, duration

TERMINAL, BROWSER, DESKTOP = "terminal", "browser", "desktop"
BUILT_IN = (TERMINAL, BROWSER, DESKTOP)
# What each process of ours shows for itself: on its screen, and on its pages.
SHOWN = (TERMINAL, BROWSER)
TIMES = 5


class RunFacts(Struct, frozen=True):
    """What rules select runs by."""

    run: str
    kind: str = ""
    cwd: str = ""
    title: str = ""
    cost_usd: float = 0.0
    dollars: str = ""  # the same as people read it


class RunFilter(Struct, frozen=True, omit_defaults=True):
    """Which runs something applies to: those in a folder or below it, of one kind of agents. Both
    may have `*` for any letters.
    """

    folder: str | None = None
    kind: str | None = None

    def accepts(self, run: RunFacts) -> bool:
        """Returns whether a run is among them."""
        if self.kind is not None and not _matches(self.kind, run.kind):
            return False
        return self.folder is None or _is_below(self.folder, run.cwd)

    def __str__(self) -> str:
        parts = (self.kind and f"of {self.kind}", self.folder and f"in {self.folder}")
        return " ".join(part for part in parts if part)


class AlertRule(Struct, frozen=True):
    """One rule: `when` one of these conditions has held for `after_seconds`, alert `to`. Of repeats
    there have to be `times`; the run has to have cost as much as `cost_usd`.

    Without an `agent`, the end of a sub-agent causes no alert: its parent deals with that. `is_own`
    if it comes from a person's file, in that `line`.
    """

    when: tuple[str, ...]
    after_seconds: float = 0.0
    runs: RunFilter = RunFilter()
    agent: str | None = None
    cost_usd: float | None = None
    times: int = TIMES
    to: tuple[str, ...] = ()
    line: int = 0

    def accepts(self, run: RunFacts, condition: Condition) -> bool:
        """Returns whether it applies to a condition of a run, however long that has held."""
        if condition.what not in self.when or not self.runs.accepts(run):
            return False
        if condition.what == REPEATS and condition.times < self.times:
            return False
        if self.cost_usd is not None and run.cost_usd < self.cost_usd:
            return False
        if self.agent is not None:
            return _matches(self.agent, condition.agent)
        is_end = condition.key.startswith("end ")
        return not is_end or condition.stream_id == 0

    def __str__(self) -> str:
        after = f" for {duration(self.after_seconds * 1000)}" if self.after_seconds else ""
        times = f", {self.times} times" if REPEATS in self.when else ""
        agent = "" if self.agent is None else f", agent {self.agent}"
        dollars = "" if self.cost_usd is None else f", from {cost(SpentDollars(self.cost_usd))} on"
        runs = str(self.runs)
        return f"{' or '.join(self.when)}{after}{times}{agent}{dollars}{runs and ', '}{runs}"


class BudgetRule(Struct, frozen=True):
    """What each run of some may spend."""

    limits: RunLimits
    runs: RunFilter = RunFilter()
    line: int = 0


class QuietHours(Struct, frozen=True):
    """Minutes of the day, in local time, between which no alert is sent."""

    begin: int
    end: int

    def hold(self, minute: int) -> bool:
        """Returns whether a minute of the day is one of them."""
        if self.begin <= self.end:
            return self.begin <= minute < self.end
        return minute >= self.begin or minute < self.end

    def __str__(self) -> str:
        return f"{_clock(self.begin)}-{_clock(self.end)}"


class Receiver(Struct, frozen=True):
    """Where alerts go: a shell `command`, a `webhook`, or the `url` of a service that Apprise
    knows. All of it may be secret.
    """

    name: str
    command: str | None = None
    webhook: str | None = None
    url: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        # Error messages and debuggers print it; addresses and headers have tokens in them.
        return f"Receiver({self.name!r}, {self.form})"

    @property
    def form(self) -> str:
        """What it is, without any of its secrets."""
        if self.command is not None:
            return "a command"
        if self.webhook is not None:
            return "a webhook"
        return "Apprise" if self.url is not None else "built in"


class FileProblem(Struct, frozen=True):
    """What is wrong in a rules file, and in which line."""

    line: int
    text: str


class AlertRules(Struct, frozen=True):
    """Everything that a rules file says, with the defaults where it says nothing."""

    rules: tuple[AlertRule, ...]
    budgets: tuple[BudgetRule, ...] = ()
    receivers: dict[str, Receiver] = field(default_factory=dict)
    to: tuple[str, ...] = SHOWN
    quiet: QuietHours | None = None
    problems: tuple[FileProblem, ...] = ()

    def receivers_of(self, rule: AlertRule) -> tuple[str, ...]:
        """Returns the names of the receivers that a rule alerts."""
        return rule.to or self.to


DEFAULT_RULES = (
    # A person in front of the agent answers within seconds, and needs no alert.
    AlertRule((PERMISSION,), after_seconds=10),
    AlertRule((PROMPT,), after_seconds=60),
    AlertRule((FAILED,)),
    AlertRule((ORPHANED,)),
    AlertRule((SILENT,), after_seconds=600),
    AlertRule((REPEATS,)),
    AlertRule((BUDGET,)),
)


def with_defaults(own: Sequence[AlertRule], off: Sequence[str] = ()) -> tuple[AlertRule, ...]:
    """Returns a person's own rules, and the default ones for what none of them is about."""
    named = {what for rule in own for what in rule.when} | set(off)
    return (*own, *(rule for rule in DEFAULT_RULES if rule.when[0] not in named))


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(_glob(pattern), text) is not None


def _is_below(folder: str, cwd: str) -> bool:
    return re.fullmatch(_glob(folder.rstrip("/\\")) + r"(?:[/\\].*)?", cwd, re.DOTALL) is not None


def _glob(pattern: str) -> str:
    return ".*".join(map(re.escape, pattern.split("*")))


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
