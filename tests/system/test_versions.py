"""The version that a program says it is."""

from __future__ import annotations

import json
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


async def test_a_script_of_a_package_is_not_started(tmp_path: Path) -> None:
    folder, started = tmp_path / "lib" / "cli", tmp_path / "started"
    folder.mkdir(parents=True)
    script = folder / "cli.js"
    script.write_text(f"#!/bin/sh\ntouch {started}; echo 9.9.9\n")
    script.chmod(0o755)
    link = tmp_path / "agent"  # as npm puts it on PATH
    link.symlink_to(script)
    said = {"name": "cli", "version": "2.0.76", "bin": {"agent": "./cli.js"}}
    (folder / "package.json").write_text(json.dumps(said))
    env = {"PATH": str(tmp_path)}
    for program in (["agent"], [str(link)], ["node", str(script)], ["/usr/bin/bun", str(script)]):
        assert await version_of(program, env) == (2, 0, 76)
    assert not started.exists()
    # Who starts it may choose another, and a package may have other scripts, or say nothing.
    assert await version_of(["/bin/sh", str(script)], env) == (9, 9, 9)
    for text in (json.dumps(said | {"bin": "other.js"}), '{"version": 2}', "{"):
        (folder / "package.json").write_text(text)
        assert await version_of([str(link)], env) == (9, 9, 9)
