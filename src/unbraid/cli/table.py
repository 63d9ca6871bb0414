"""Runs as a table, in which no agent can draw."""

from __future__ import annotations

import time
from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from unbraid.log.summary import RunSummary
from unbraid.screen import safe

COLORS = {"live": "green", "done": "dim", "failed": "red", "orphaned": "yellow"}


def runs_table(runs: Iterable[RunSummary]) -> Table:
    """One row a run: status, agents, tokens, cost, age, where, and what it is about."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE", "WHERE", "TITLE"):
        right = name in ("AGENTS", "TOKENS", "COST", "AGE")
        # A run's name is there to be copied: it is never cut.
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis" if name in ("WHERE", "TITLE") else "fold",
        )
    now = time.time() * 1000
    for run in runs:
        cost = "" if run.usage.cost_usd is None else f"${run.usage.cost_usd:.2f}"
        table.add_row(
            run.run,
            Text(run.status, style=COLORS.get(run.status, "")),
            str(run.agents),
            short(run.usage.total_tokens),
            cost,
            age((now - run.updated) / 1000),
            Text(safe(run.cwd or "")),
            Text(safe(run.title or "")),
        )
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
