"""Runs in a table, on screens of any width."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from unbraid.cli.table import runs_table
from unbraid.log.summary import RunSummary

RUN = "9e0b1913-4b35-4f94-b0c5-b79caf9137bc"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 119, 120, 160])
def test_a_name_and_a_status_are_never_cut(width: int) -> None:
    runs = [
        RunSummary(RUN, "claude", title="Fix " + "very " * 100, cwd="/home/dev/app", agents=12),
        RunSummary("short", "claude", status="orphaned", title="日本語" * 40, cwd="/x", agents=1),
    ]
    console = Console(file=io.StringIO(), width=width)
    console.print(runs_table(runs, width))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert RUN in shown.replace("\n", "") and "orphaned" in shown
    assert all(cell_len(line) <= width for line in shown.splitlines())
    if width >= 40:
        assert "Fix very" in shown
    if width >= 80:
        for head in ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE"):
            assert head in shown


@pytest.mark.parametrize("width", [40, 80, 119])
def test_what_a_run_is_about_has_the_whole_line_below(width: int) -> None:
    runs = [RunSummary(RUN, "claude", title="word " * 60, cwd="/home/dev/app", agents=1)]
    console = Console(file=io.StringIO(), width=width)
    console.print(runs_table(runs, width))
    assert isinstance(console.file, io.StringIO)
    *_, below = console.file.getvalue().splitlines()
    assert len(below) == width and below.endswith("…")


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_run_draws_the_row_of_another(width: int) -> None:
    forged = "\nforged  live\r\n"
    run = RunSummary("short", "claude", cwd=f"/x{forged}", title=f"hi{forged}", agents=1)
    console = Console(file=io.StringIO(), width=width)
    console.print(runs_table([run], width))
    assert isinstance(console.file, io.StringIO)
    rows = console.file.getvalue().splitlines()
    assert not [row for row in rows if row.startswith("forged")]
    assert len(rows) == (2 if width == 160 else 3)
