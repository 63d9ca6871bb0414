"""A session that is followed while it is written is what it is when it is read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from tests.faces.growth import grows

NAMES = (
    "background.plain.2.1.50",
    "deep-fan.plain.2.1.197",
    "fan-four.partial.2.0.76",
    "nested.app-server.codex-0.118.0",
    "resumed.plain.2.1.197",
    "resumed.stdin.2.1.325",
)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_followed_is_what_is_read_whole(name: str, tmp_path: Path) -> None:
    assert grows(RECORDINGS / name, tmp_path, seed=1)
