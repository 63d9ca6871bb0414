"""Lines for a terminal: each within its width, each in its agent's gutter."""

from __future__ import annotations

import click
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.test_drawing import everything
from unbraid.cli.printer import GUTTER, MIN_ROOM, Printer


def told(text: str, width: int | None) -> list[str]:
    printer = Printer(width)
    return [click.unstyle(line) for event in everything(text) for line in printer.lines(event)]


@given(st.text(st.characters(exclude_categories=["C"])), st.integers(1, 120))
def test_every_line_fits_the_terminal(text: str, width: int) -> None:
    widest = max(width, GUTTER + 3 + MIN_ROOM)
    for line in told(text, width):
        assert cell_len(line) <= widest
        assert line.startswith("0 main".ljust(GUTTER) + " │ ")


@given(st.text(st.characters(exclude_categories=["C"])))
def test_broken_lines_say_the_same_as_whole_ones(text: str) -> None:
    def words(lines: list[str]) -> str:
        return "".join("".join(line.partition("│ ")[2] for line in lines).split())

    assert words(told(text, 60)) == words(told(text, None))
