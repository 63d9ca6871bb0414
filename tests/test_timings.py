"""The table of timings: every number has its reason, and everyone takes it from there."""

from __future__ import annotations

import re
from pathlib import Path

import unbraid.timings

SRC = Path(__file__).parent.parent / "src" / "unbraid"
TABLE = SRC / "timings.py"
NAMES = [name for name in vars(unbraid.timings) if name.isupper()]


def test_every_number_says_its_unit() -> None:
    assert [name for name in NAMES if not name.endswith(("_SECONDS", "_MS"))] == []


def test_every_number_has_a_reason_above_it() -> None:
    """Or shares that of the number before."""
    reasons = re.findall(r"(?:^# [^-].*\n)+(?:^[A-Z_]+ = .*\n)+", TABLE.read_text(), re.M)
    explained = re.findall(r"^([A-Z_]+) = ", "".join(reasons), re.M)
    assert sorted(explained) == sorted(NAMES)


def test_every_number_is_used() -> None:
    paths = [path for path in SRC.rglob("*.py") if path != TABLE]
    used = set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in paths)))
    assert [name for name in NAMES if name not in used] == []
