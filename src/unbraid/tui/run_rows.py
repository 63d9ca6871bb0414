"""The list of runs: live ones first, then the latest."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath

from rich.style import Style
from rich.text import Text

from unbraid.fold.status import MARKS
from unbraid.log.summary import RunSummary
from unbraid.screen import cost, duration, short, token_count
from unbraid.tui.rows import Row
from unbraid.tui.run_tree import DIM, STATUS

EMPTY = """\
No agents here yet.

Start one in another terminal, as you always do:

    claude
    opencode

or so that you can steer it from here:

    unbraid run --steer -- claude -p "Fix the tests"

It appears by itself. `unbraid demo` shows a recorded fleet, `unbraid doctor` what was found.
"""


def sort_runs(runs: Collection[RunSummary]) -> list[RunSummary]:
    """Returns runs in order: live ones as they began, which does not change while they work; then
    the others, latest first.
    """
    live = [run for run in runs if not run.over]
    over = [run for run in runs if run.over]
    live.sort(key=lambda run: (-run.started, run.run))
    over.sort(key=lambda run: (-run.updated, run.run))
    return live + over


def run_row(run: RunSummary, now_ms: float) -> Row:
    """Returns one run in a row."""
    name = Text.assemble(
        (MARKS.get(run.status, "?"), STATUS.get(run.status, DIM)),
        " ",
        short(run.title or run.run, 120),
    )
    if run.cwd:
        name.append(f" {short(PurePath(run.cwd).name, 30)}", DIM)
    cells = [
        Text(duration(max(now_ms - run.updated, 0)), DIM),
        Text(cost(run.usage), Style(color="yellow")),
        Text(token_count(run.usage.total_tokens) if run.usage.total_tokens else ""),
        Text(f"{run.agents}a" if run.agents > 1 else "", DIM),
    ]
    return Row(run.run, name, cells)


def run_title(run: RunSummary | None) -> Text:
    """Returns the chosen run in a line: where it is, what it is about, what it has used."""
    title = Text("unbraid", Style(bold=True))
    if run is None:
        return title
    facts = [short(run.title or run.run, 60), run.source, cost(run.usage), run.cwd]
    title.append("".join(f" · {short(fact)}" for fact in facts if fact), Style(bold=False))
    return title
