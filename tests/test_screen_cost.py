"""Money is shown in one way; the page is tested against the same table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unbraid.fleet.usage import Usage
from unbraid.screen import cost

TABLE = Path(__file__).parent.parent / "web" / "src" / "parts" / "cost.json"


@pytest.mark.parametrize("row", json.loads(TABLE.read_text("utf-8")), ids=lambda row: row["shown"])
def test_money_is_shown_as_in_the_table(row: dict[str, object]) -> None:
    shown = row.pop("shown")
    usage = Usage(**row)  # type: ignore[arg-type]
    assert cost(usage) == shown
