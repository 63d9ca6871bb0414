"""Runs as a table, in which no agent can draw."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unbraid.log.summary import RunSummary
from unbraid.screen import cost, safe, token_count

Row = tuple[RunSummary, dict[str, Text]]

WIDE = 120
GAP = 2
COLUMNS = ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE")
LEFT = ("RUN", "STATUS")
# What goes first where there is no room.
SPARED = ("AGENTS", "TOKENS", "COST")
COLORS = {
    "working": "green",
    "waiting": "bold yellow",
    "done": "dim",
    "failed": "red",
    "interrupted": "red",
    "orphaned": "yellow",
}


def runs_table(runs: Iterable[RunSummary], width: int) -> RenderableType:
    """Returns one row a run: status, agents, tokens, cost, age, where, and what it is about.

    A run's name is there to be copied: it is never cut. On a narrow screen the rest gives way, and
    what the run is about stands below its name.
    """
    now = time.time() * 1000
    rows = [(run, _cells(run, now)) for run in runs]
    widths = {
        name: max(len(name), *(cell_len(cells[name].plain) for _, cells in rows), 0)
        for name in COLUMNS
    }
    return _wide(rows, widths, width) if width >= WIDE else Group(*_narrow(rows, widths, width))


def _wide(rows: list[Row], widths: dict[str, int], width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, wide in widths.items():
        right = name not in LEFT
        table.add_column(name, justify="right" if right else "left", no_wrap=True, width=wide)
    left = max(width - sum(widths.values()) - GAP * len(widths), 2 * GAP)
    table.add_column("WHERE", no_wrap=True, overflow="ellipsis", max_width=left // 3)
    table.add_column("TITLE", no_wrap=True, overflow="ellipsis", max_width=left * 2 // 3 - GAP)
    for run, cells in rows:
        table.add_row(*cells.values(), Text(_one_line(run.cwd)), Text(_one_line(run.title)))
    return table


def _narrow(rows: list[Row], widths: dict[str, int], width: int) -> Iterator[Text]:
    """Yields two lines for each run: its name and status, then what it is about."""
    for name in ("", *SPARED):
        widths.pop(name, None)
        if sum(widths.values()) + GAP * (len(widths) - 1) <= width:
            break
    else:
        widths = {"RUN": 0}
    yield _line({name: Text(name, "bold") for name in widths}, widths)
    for run, cells in rows:
        yield _line({name: cells[name] for name in widths}, widths)
        about = [(_one_line(run.cwd).rpartition("/")[2], "dim"), (_one_line(run.title), "dim")]
        if "STATUS" not in widths:
            status = cells["STATUS"]
            about = [(status.plain, str(status.style)), (cells["AGE"].plain, ""), *about]
        below = Text(" " * GAP, no_wrap=True).append_text(
            Text(" · ", "dim").join(Text(text, style) for text, style in about if text)
        )
        below.truncate(width, overflow="ellipsis")
        yield below


def _line(cells: dict[str, Text], widths: dict[str, int]) -> Text:
    line = Text(overflow="fold")
    for name, cell in cells.items():
        spare = " " * (widths[name] - cell_len(cell.plain))
        parts = (cell, spare) if name in LEFT else (spare, cell)
        line.append_text(Text.assemble(" " * GAP if line else "", *parts))
    line.rstrip()
    return line


def _cells(run: RunSummary, now_ms: float) -> dict[str, Text]:
    return {
        "RUN": Text(run.run),
        "STATUS": Text(run.status, style=COLORS.get(run.status, "")),
        "AGENTS": Text(str(run.agents)),
        "TOKENS": Text(token_count(run.usage.total_tokens)),
        "COST": Text(cost(run.usage)),
        "AGE": Text(age((now_ms - run.updated) / 1000)),
    }


def _one_line(text: str | None) -> str:
    # A line end would begin what looks like another run's row.
    return " ".join(safe(text or "").split())


def age(seconds: float) -> str:
    """Returns how long ago, in its largest unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(int(seconds), 0)}s"
