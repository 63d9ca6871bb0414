"""Which conditions of which runs alert which receivers, and what runs may spend: the rules, and the
TOML file in which a person writes them. In it, every table stands for itself.

    quiet = "22:00-07:00"
    to = ["terminal", "phone"]

    [[rule]]
    when = "permission"
    after = "30s"
    folder = "~/work"

    [[budget]]
    folder = "~/work"
    cost = 5

    [receiver.phone]
    url = "ntfys://ntfy.example.org/agents"

Each table is parsed by itself, so that what is wrong in one of them leaves the others as they are.
What is wrong is reported with its line, and never with the value of a receiver: that may be a
secret.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import asdict, replace

from unbraid.fold.alerts.budget import RunLimits
from unbraid.fold.alerts.conditions import BUDGET, CONDITIONS, REPEATS, SILENT, Condition
from unbraid.fold.amounts import MAX_COUNT, MAX_DOLLARS
from unbraid.fold.status import FAILED, ORPHANED, PERMISSION, PROMPT
from unbraid.screen import SpentDollars, amount, cost, duration

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

    def receiver(self, name: str) -> Receiver:
        """Returns the receiver of a name: a person's own, or one that is built in."""
        return Receiver(name) if name in BUILT_IN else self.receivers[name]


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


_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(?:#.*)?$")
_CLOCK = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)\s*\Z")
_SYNTAX_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_FIELD = re.compile(r" - at `\$\.(\w+)")
_MAX_SECONDS = 30 * 86400.0
# Files that were written before conditions had the words of the alerts.
_OLD_NAMES = {"circles": REPEATS}

_Words = str | list[str]
_Text = Annotated[str, Meta(pattern=r"\S")]
_Dollars = Annotated[float, Meta(ge=0, le=MAX_DOLLARS)]
_Count = Annotated[int, Meta(gt=0, le=MAX_COUNT)]
_Clock = Annotated[str, Meta(pattern=rf"\A{_CLOCK.pattern}")]
_HeaderValue = Annotated[str, Meta(pattern=r"\A[^\r\n]*\Z")]


class _Settings(Struct):
    """What stands above all tables."""

    quiet: _Clock | None = None
    to: _Words = []
    off: _Words = []


class _RuleTable(Struct):
    when: _Words | None = None
    after: str = "0s"
    folder: _Text | None = None
    kind: _Text | None = None
    agent: _Text | None = None
    cost: _Dollars | None = None
    times: Annotated[int, Meta(ge=3, le=20)] = TIMES
    to: _Words = []


class _BudgetTable(Struct):
    folder: _Text | None = None
    kind: _Text | None = None
    cost: _Dollars | None = None
    tokens: _Count | None = None
    time: str | None = None
    agents: _Count | None = None


class _ReceiverTable(Struct):
    command: _Text | None = None
    webhook: Annotated[str, Meta(pattern=r"\Ahttps?://")] | None = None
    url: Annotated[str, Meta(pattern="://")] | None = None
    headers: dict[str, _HeaderValue] = {}


# What is said of a value that cannot be used; of all others, that it is not a text.
_WRONG = {
    "after": 'is not a duration, such as "90s", "10m" or "1h 30m"',
    "time": 'is not a duration, such as "90s", "10m" or "1h 30m"',
    "cost": "is not a number of dollars",
    "tokens": "is not a whole number above 0",
    "agents": "is not a whole number above 0",
    "times": "is at least 3, and at most 20",
    "quiet": 'is not two times of the day, such as "22:00-07:00"',
    "webhook": "is not an address: it begins with http:// or https://",
    "url": "is not an address that Apprise knows, such as ntfys://…",
    "headers": "is not a table of texts",
    "when": "is not a text or a list of texts",
    "to": "is not a text or a list of texts",
    "off": "is not a text or a list of texts",
}

TableType = TypeVar("TableType", _Settings, _RuleTable, _BudgetTable, _ReceiverTable)


class _Table(Struct):
    """One table of the file: its header, and its lines as they are."""

    name: str
    line: int
    lines: list[str]
    is_list: bool = False

    def line_of(self, key: str) -> int:
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]")
        for number, text in enumerate(self.lines):
            if key and pattern.match(text):
                return self.line + number
        return self.line


class _InvalidValue(ValueError):
    """What is wrong in a table, and the key that it is about, if it is about one."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


def read_rules(text: str, home: str = "") -> AlertRules:
    """Returns what a rules file says. `~` in it is the folder `home`."""
    reader = _Reader(home)
    for table in _tables(text):
        reader.table(table)
    return reader.rules()


class _Reader:
    def __init__(self, home: str) -> None:
        self._home = home
        self._rules: list[AlertRule] = []
        self._budgets: list[BudgetRule] = []
        self._receivers: dict[str, Receiver] = {}
        self._to: tuple[str, ...] = SHOWN
        self._to_line = 0
        self._off: tuple[str, ...] = ()
        self._quiet: QuietHours | None = None
        self._problems: list[FileProblem] = []

    def table(self, table: _Table) -> None:
        try:
            values = tomllib.loads("\n".join(table.lines))
        except tomllib.TOMLDecodeError as error:
            self._problems.append(_syntax(table, str(error)))
            return
        if table.name == "":
            # Each setting stands for itself, too.
            for key, value in values.items():
                self._try(table, partial(self._setting, table, key, value))
        else:
            self._try(table, partial(self._named_table, table, values))

    def rules(self) -> AlertRules:
        known = {*BUILT_IN, *self._receivers}
        used = [(rule.line, rule.to) for rule in self._rules]
        for line, names in [*used, (self._to_line, self._to)]:
            self._problems += [
                FileProblem(
                    line, f"unknown receiver {name!r}; available: {', '.join(sorted(known))}"
                )
                for name in names
                if name not in known
            ]

        def only_known(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if name in known)

        # An alert with a wrong receiver goes where the others go, rather than nowhere.
        rules = [replace(rule, to=only_known(rule.to)) for rule in self._rules]
        return AlertRules(
            rules=with_defaults(rules, self._off),
            budgets=tuple(self._budgets),
            receivers=self._receivers,
            to=only_known(self._to) or SHOWN,
            quiet=self._quiet,
            problems=tuple(sorted(self._problems, key=lambda problem: problem.line)),
        )

    def _try(self, table: _Table, read: Callable[[], None]) -> None:
        try:
            read()
        except _InvalidValue as error:
            self._problems.append(FileProblem(table.line_of(error.key), str(error)))

    def _named_table(self, table: _Table, values: dict[str, Any]) -> None:
        part, _, name = table.name.partition(".")
        if table.name == "rule" and table.is_list:
            self._rule(table.line, _converted(values["rule"][0], _RuleTable))
        elif table.name == "budget" and table.is_list:
            self._budget(table.line, _converted(values["budget"][0], _BudgetTable))
        elif part == "receiver" and name and not table.is_list:
            ((name, given),) = values["receiver"].items()
            self._receiver(name, _converted(given, _ReceiverTable))
        else:
            shown = f"[[{table.name}]]" if table.is_list else f"[{table.name}]"
            known = "[[rule]], [[budget]] and [receiver.NAME]"
            raise _InvalidValue(f"unknown table {shown}; choose from: {known}")

    def _setting(self, table: _Table, key: str, value: Any) -> None:
        given = _converted({key: value}, _Settings)
        if key == "quiet" and given.quiet is not None:
            self._quiet = _quiet(given.quiet)
        elif key == "to":
            self._to, self._to_line = _words(given.to), table.line_of(key)
        else:
            self._off = _conditions(key, given.off)

    def _rule(self, line: int, given: _RuleTable) -> None:
        if not given.when:
            raise _InvalidValue(f"`when` is needed; choose from: {', '.join(CONDITIONS)}")
        self._rules.append(
            AlertRule(
                when=_conditions("when", given.when),
                after_seconds=_seconds("after", given.after),
                runs=self._runs(given),
                agent=given.agent,
                cost_usd=given.cost,
                times=given.times,
                to=_words(given.to),
                line=line,
            )
        )

    def _budget(self, line: int, given: _BudgetTable) -> None:
        limits = RunLimits(
            cost_usd=given.cost,
            tokens=given.tokens,
            seconds=None if given.time is None else _seconds("time", given.time),
            agents=given.agents,
        )
        if not limits:
            raise _InvalidValue("one of `cost`, `tokens`, `time` and `agents` is needed")
        self._budgets.append(BudgetRule(limits, self._runs(given), line))

    def _receiver(self, name: str, given: _ReceiverTable) -> None:
        if name in self._receivers:
            raise _InvalidValue(f"the receiver {name!r} already exists")
        if name in BUILT_IN:
            raise _InvalidValue(f"{name!r} is built in; choose another name")
        if sum(each is not None for each in (given.command, given.webhook, given.url)) != 1:
            raise _InvalidValue("one of `command`, `webhook` and `url` is needed, and only one")
        self._receivers[name] = Receiver(name, **asdict(given))

    def _runs(self, given: _RuleTable | _BudgetTable) -> RunFilter:
        folder = given.folder
        if folder is not None and (folder == "~" or folder.startswith("~/")):
            folder = self._home + folder[1:]
        elif folder is not None and not folder.startswith(("/", "*")) and folder[1:2] != ":":
            raise _InvalidValue("`folder` is a whole path: it begins with / or ~/", "folder")
        return RunFilter(folder, given.kind)


def _tables(text: str) -> Iterator[_Table]:
    table, quote = _Table("", 1, []), ""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        header = None if quote else _HEADER.match(line)
        # A table below a receiver, as its headers, belongs to it.
        if header is not None and not header[2].startswith(f"{table.name}."):
            yield table
            table = _Table(header[2], number, [], is_list=header[1] == "[[")
        table.lines.append(line)
        for mark in ('"""', "'''"):
            if quote in ("", mark) and line.count(mark) % 2:
                quote = "" if quote else mark
    yield table


def _syntax(table: _Table, text: str) -> FileProblem:
    found = _SYNTAX_LINE.search(text)
    filled = len("\n".join(table.lines).rstrip().split("\n"))
    number = filled if found is None or found[1] is None else min(int(found[1]), filled)
    return FileProblem(table.line + number - 1, "not TOML: " + _SYNTAX_LINE.sub("", text))


def _converted(given: dict[str, Any], kind: type[TableType]) -> TableType:
    known = kind.__struct_fields__
    for key in given:
        if key not in known:
            raise _InvalidValue(f"unknown key {key!r}; choose from: {', '.join(known)}", key)
    try:
        return convert(given, kind)
    except ValidationError as error:
        # Its own message names types, and not what a person can write.
        found = _FIELD.search(str(error))
        key = found[1] if found else ""
        raise _InvalidValue(f"`{key}` {_WRONG.get(key, 'is not a text')}", key) from None


def _words(given: _Words) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _conditions(key: str, given: _Words) -> tuple[str, ...]:
    words = tuple(_OLD_NAMES.get(word, word) for word in _words(given))
    for word in words:
        if word not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise _InvalidValue(f"unknown condition {word!r}; choose from: {known}", key)
    return words


def _seconds(key: str, given: str) -> float:
    found = amount(given)
    if found is None:
        raise _InvalidValue(f"`{key}` {_WRONG[key]}", key)
    return min(found, _MAX_SECONDS)


def _quiet(given: str) -> QuietHours:
    found = _CLOCK.match(given)
    hour, minute, end_hour, end_minute = map(int, found.groups() if found else ())
    begin, end = hour * 60 + minute, end_hour * 60 + end_minute
    if begin == end:
        raise _InvalidValue("`quiet` must begin and end at different times", "quiet")
    return QuietHours(begin, end)
