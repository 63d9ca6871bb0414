"""The map in docs/concepts.md: what it names exists, and no part of the package is left out."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_layers import SRC

ROOT = Path(__file__).parents[2]
PACKAGE = SRC / "unbraid"
MAP = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8").partition("## Map of the code")[2]
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def test_no_part_of_the_package_is_left_out() -> None:
    parts = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    parts |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert parts - set(SPAN.findall(MAP)) == set()


def test_every_path_leads_somewhere() -> None:
    paths = [span for span in SPAN.findall(MAP) if span.endswith((".py", "/"))]
    assert paths
    for path in paths:
        assert (PACKAGE / path).exists() or (ROOT / path).exists(), path
