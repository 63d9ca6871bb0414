"""Runs as a table, in which no agent can draw."""

from __future__ import annotations

import time
from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from unbraid.log.summary import RunSummary
from unbraid.screen import safe

WIDE = 120
NAME_CHARS = 36
COLORS = {"live": "green", "done": "dim", "failed": "red", "orphaned": "yellow"}


def runs_table(runs: Iterable[RunSummary], width: int) -> Table:
    """One row a run: status, agents, tokens, cost, age, where, and what it is about.

    A run's name is there to be copied: it is never cut. On a narrow screen the rest gives way, and
    what the run is about stands below its name.
    """
    narrow = width < WIDE
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE"):
        right = name not in ("RUN", "STATUS")
        shortest = NAME_CHARS if name == "RUN" else len(name)
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=True,
            min_width=shortest,
            overflow="ellipsis",
        )
    for name in () if narrow else ("WHERE", "TITLE"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    now = time.time() * 1000
    for run in runs:
        where, title = safe(run.cwd or ""), safe(run.title or "")
        named = Text(run.run)
        if narrow:
            about = " · ".join(filter(None, (where.rpartition("/")[2], title)))
            # It gets the width of the name, which must not grow with it.
            below = Text(about, "dim")
            below.truncate(max(len(run.run), NAME_CHARS), overflow="ellipsis")
            named.append("\n").append_text(below)
        cost = "" if run.usage.cost_usd is None else f"${run.usage.cost_usd:.2f}"
        row: list[Text | str] = [
            named,
            Text(run.status, style=COLORS.get(run.status, "")),
            str(run.agents),
            short(run.usage.total_tokens),
            cost,
            age((now - run.updated) / 1000),
        ]
        table.add_row(*row, *([] if narrow else [Text(where), Text(title)]))
    return table


def short(number: float) -> str:
    """A number of tokens in a few characters."""
    if number < 1000:
        return f"{number:.0f}"
    for unit in ("k", "M", "G"):
        number /= 1000
        if number < 1000:
            return f"{number:.1f}{unit}"
    return f"{number / 1000:.1f}T"


def age(seconds: float) -> str:
    """How long ago, in its largest unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(int(seconds), 0)}s"
