"""Money, tokens, durations and titles are shown in one way; the page is tested against the same
table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unbraid.fold.title import prompt_title
from unbraid.fold.usage import Usage
from unbraid.screen import amount, cost, duration, token_count

PATH = Path(__file__).parent.parent / "web" / "src" / "parts" / "formats.json"
TABLE: dict[str, list[Any]] = json.loads(PATH.read_text("utf-8"))


@pytest.mark.parametrize("row", TABLE["cost"], ids=lambda row: row["shown"])
def test_money_is_shown_as_in_the_table(row: dict[str, Any]) -> None:
    usage = Usage(**{name: value for name, value in row.items() if name != "shown"})
    assert cost(usage) == row["shown"]


@pytest.mark.parametrize(("number", "shown"), TABLE["tokens"])
def test_tokens_are_shown_as_in_the_table(number: int, shown: str) -> None:
    assert token_count(number) == shown


@pytest.mark.parametrize(("milliseconds", "shown"), TABLE["duration"])
def test_durations_are_shown_as_in_the_table(milliseconds: float, shown: str) -> None:
    assert duration(milliseconds) == shown


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90s", 90), ("10m", 600), ("1h 30m", 5400), (" 2H ", 7200), ("1.5h", 5400)),
        *(("7d", 604_800), ("2 w", 1_209_600), ("0s", 0)),
        *(
            (text, None)
            for text in ("", " ", "7", "d", "-1d", "7 d d", "soon", "5x", "1e5s", "nan")
        ),
    ],
)
def test_lengths_of_time_are_read_as_people_write_them(text: str, seconds: float | None) -> None:
    assert amount(text) == seconds


@pytest.mark.parametrize(("prompt", "shown"), TABLE["title"])
def test_titles_are_made_as_in_the_table(prompt: str, shown: str) -> None:
    assert (prompt_title(prompt) or "") == shown


def test_a_narrow_place_holds_any_count() -> None:
    assert token_count(10**400).endswith("G")
