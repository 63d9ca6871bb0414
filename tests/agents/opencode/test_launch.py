"""From when on the rows of a session are new to its run."""

from __future__ import annotations

from unbraid.agents.opencode.launch import ROWS, ROWS_FROM, rows_since
from unbraid.agents.port import Recorded


def test_since_when_rows_are_new() -> None:
    assert rows_since(Recorded(), 5) == 5
    assert rows_since(Recorded({ROWS_FROM: 3, ROWS: 4}, is_new=False), 5) == 3
    assert rows_since(Recorded(earlier={ROWS: 7}, earlier_ms=9), 5) == 8
    # A run that knew stdout alone: its rows are those of its time.
    assert rows_since(Recorded(earlier_ms=9), 5) == 10
