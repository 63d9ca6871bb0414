"""Runs as a table, in which no agent can draw."""

from __future__ import annotations

import time
from collections.abc import Iterable

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from unbraid.log.summary import RunSummary
from unbraid.screen import safe

WIDE = 120
NAME_CHARS = 36
GAP = 2
COLUMNS = ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE")
COLORS = {"live": "green", "done": "dim", "failed": "red", "orphaned": "yellow"}


def runs_table(runs: Iterable[RunSummary], width: int) -> Table:
    """One row a run: status, agents, tokens, cost, age, where, and what it is about.

    A run's name is there to be copied: it is never cut. On a narrow screen the rest gives way, and
    what the run is about stands below its name.
    """
    narrow, now = width < WIDE, time.time() * 1000
    rows = [_row(run, now, narrow=narrow) for run in runs]
    table = Table(box=None, pad_edge=False, header_style="bold")
    left = width
    for number, name in enumerate(COLUMNS):
        cells = [line for row in rows for line in row[number].plain.split("\n")]
        wide = max(len(name), *map(cell_len, cells), 0)
        left -= wide + GAP
        right = name not in ("RUN", "STATUS")
        table.add_column(name, justify="right" if right else "left", no_wrap=True, width=wide)
    if not narrow:
        left = max(left, 2 * GAP)
        table.add_column("WHERE", no_wrap=True, overflow="ellipsis", max_width=left // 3)
        table.add_column("TITLE", no_wrap=True, overflow="ellipsis", max_width=left * 2 // 3 - GAP)
    for row in rows:
        table.add_row(*row)
    return table


def _row(run: RunSummary, now_ms: float, *, narrow: bool) -> list[Text]:
    where, title = safe(run.cwd or ""), safe(run.title or "")
    name = Text(run.run)
    if narrow:
        below = Text(" · ".join(filter(None, (where.rpartition("/")[2], title))), "dim")
        # It gets the width of a name, which must not grow with it.
        below.truncate(NAME_CHARS, overflow="ellipsis")
        name.append("\n").append_text(below)
    cost = "" if run.usage.cost_usd is None else f"${run.usage.cost_usd:.2f}"
    row = [
        name,
        Text(run.status, style=COLORS.get(run.status, "")),
        Text(str(run.agents)),
        Text(short(run.usage.total_tokens)),
        Text(cost),
        Text(age((now_ms - run.updated) / 1000)),
    ]
    return row if narrow else [*row, Text(where), Text(title)]


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
