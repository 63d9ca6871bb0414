"""The version that a program says it is."""

from __future__ import annotations

import sys
from pathlib import Path

from unbraid.system.versions import release_of, version_of


def program(path: Path, said: str) -> list[str]:
    path.write_text(f"print({said!r})")
    return [sys.executable, str(path)]


def test_what_a_version_says() -> None:
    assert release_of("2.1.325 (Claude Code)\n") == (2, 1, 325)
    assert release_of("who knows") == ()


async def test_a_program_is_asked(tmp_path: Path) -> None:
    assert await version_of(program(tmp_path / "a.py", "1.2.3 (Some CLI)")) == (1, 2, 3)
    assert await version_of(program(tmp_path / "b.py", "hello")) == ()
    assert await version_of([str(tmp_path / "nothing")]) == ()
