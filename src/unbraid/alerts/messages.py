"""Alerts as people read them: one message for all that come at once.

Titles, tools and errors are the agents' words. They are cleaned and shortened here, so that no
terminal and no service acts on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from unbraid.alerts.conditions import BUDGET, REPEATS, SILENT, Condition
from unbraid.alerts.monitor import Alert
from unbraid.fleet.status import DONE, FAILED, ORPHANED, PERMISSION, PROMPT
from unbraid.screen import short

MAX_LINES = 10
TITLE_CHARS, LINE_CHARS = 100, 240

_ONE = {
    PERMISSION: "waits for permission",
    PROMPT: "waits for a prompt",
    DONE: "is done",
    FAILED: "has failed",
    ORPHANED: "is gone: its process has ended",
    SILENT: "has been silent while working",
    REPEATS: "repeats itself",
    BUDGET: "is near its budget",
}
_MANY = {
    PERMISSION: "wait for permission",
    PROMPT: "wait for a prompt",
    DONE: "are done",
    FAILED: "have failed",
    ORPHANED: "are gone",
    SILENT: "are silent",
    REPEATS: "repeat themselves",
    BUDGET: "are near their budget",
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
    """Returns what has happened to one agent, and to many."""
    if condition.what == BUDGET and not condition.key.endswith(NOTICE):
        return _REACHED
    return _ONE[condition.what], _MANY[condition.what]


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
