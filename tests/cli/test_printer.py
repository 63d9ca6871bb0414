"""Lines for a terminal: each within its width, each in its agent's gutter."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.screens import said
from tests.tui.test_item_renderer import everything
from unbraid import events as e
from unbraid.cli.printer import GUTTER, MIN_GUTTER, MIN_ROOM, Printer


def shown(text: str, width: int | None) -> list[str]:
    printer = Printer(width)
    return [click.unstyle(line) for event in everything(text) for line in printer.lines(event)]


@given(st.text(st.characters(exclude_categories=["C"])), st.integers(1, 120))
def test_every_line_fits_the_terminal(text: str, width: int) -> None:
    widest = max(width, MIN_GUTTER + 3 + MIN_ROOM)
    lines = shown(text, width)
    # What it is called takes as many cells in every line.
    (gutter,) = {cell_len(line.partition(" │ ")[0]) for line in lines}
    assert MIN_GUTTER <= gutter <= GUTTER
    for line in lines:
        assert cell_len(line) <= widest
        assert line.startswith("0 main".ljust(gutter) + " │ ")


@given(st.text(st.characters(exclude_categories=["C"])))
def test_broken_lines_say_the_same_as_whole_ones(text: str) -> None:
    def words(lines: list[str]) -> str:
        return "".join("".join(line.partition("│ ")[2] for line in lines).split())

    assert words(shown(text, 60)) == words(shown(text, None))


@given(st.text(st.characters(exclude_categories=["C"])), st.integers(0, 9), st.integers(1, 120))
def test_a_gutter_has_its_width_whatever_the_name(name: str, depth: int, width: int) -> None:
    start = e.StreamStart(
        seq=1, ts=1, stream_id=3, depth=depth, agent=name or "x", parent_stream_id=0
    )
    printer = Printer(width)
    (line,) = [click.unstyle(line) for line in printer.lines(start)][:1]
    (other,) = [click.unstyle(line) for event in said(7, ["y\n"]) for line in printer.lines(event)]
    assert line.rpartition(" │ ▶ ")[0].lstrip().startswith("3")
    assert cell_len(line.partition(" │ ▶")[0]) == cell_len(other.partition(" │ ")[0])


def test_another_width_in_between() -> None:
    printer, counts = Printer(80), []
    for width in (80, 40, 120):
        printer.fit(width)
        (event,) = said(0, ["word " * 11 + "end\n"])
        lines = [click.unstyle(line) for line in printer.lines(event)]
        assert all(cell_len(line) <= width for line in lines)
        counts.append(len(lines))
    assert counts == [2, 3, 1]


def test_lines_may_end_as_on_windows() -> None:
    printer = Printer()
    parts = ["one\r", "\ntwo\r\n", "a\rb\n"]
    events = [e.Text(seq=i, ts=1, stream_id=0, depth=0, agent="main", delta=part, message_id="m",
                     block=0) for i, part in enumerate(parts, 1)]  # fmt: skip
    lines = [click.unstyle(line) for event in events for line in printer.lines(event)]
    assert [line.partition("│ ")[2] for line in lines] == ["one", "two", "a\\x0db"]


@pytest.mark.parametrize(
    ("first", "second"),
    [(("m1", 0), ("m2", 0)), (("m1", 0), ("m1", 1))],
    ids=["two messages", "two blocks"],
)
def test_blocks_that_follow_each_other_are_lines_of_their_own(
    first: tuple[str, int], second: tuple[str, int]
) -> None:
    parts = [(first, "One, "), (first, "whole."), (second, "And "), (second, "another.")]
    printer, lines = Printer(), list[str]()
    for seq, ((message, block), delta) in enumerate(parts):
        lines += printer.lines(
            e.Text(
                seq=seq, ts=0, stream_id=0, depth=0, agent="main",
                delta=delta, message_id=message, block=block,
            )
        )  # fmt: skip
    lines += printer.flush()
    assert [click.unstyle(line).partition("│ ")[2] for line in lines] == [
        "One, whole.",
        "And another.",
    ]
