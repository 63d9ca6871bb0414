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
from unbraid.screen import cost, duration, token_count

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


@pytest.mark.parametrize(("prompt", "shown"), TABLE["title"])
def test_titles_are_made_as_in_the_table(prompt: str, shown: str) -> None:
    assert (prompt_title(prompt) or "") == shown


def test_a_narrow_place_holds_any_count() -> None:
    assert token_count(10**400).endswith("G")
