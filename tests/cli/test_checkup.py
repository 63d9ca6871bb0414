"""What `unbraid doctor` says, by kind and about the log."""

from __future__ import annotations

from pathlib import Path

from unbraid.cli.checkup import checkup


async def test_every_kind_and_the_log_are_looked_at(tmp_path: Path) -> None:
    claude = tmp_path / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho '2.0.76 (Claude Code)'\n")
    claude.chmod(0o755)
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "PATH": str(claude.parent), "UNBRAID_HOME": str(tmp_path / "log")}
    findings = await checkup(env)
    assert [(finding.about, finding.status) for finding in findings] == [
        ("Claude Code", "warning"),
        ("transcripts", "ok"),
        ("OpenCode", "missing"),
        ("database", "missing"),
        ("Kilo", "missing"),
        ("Codex", "missing"),
        ("log", "ok"),
    ]
    assert findings[0].found.startswith(f"2.0.76 at {claude}: ")
    assert findings[1].found == f"0 sessions in {tmp_path / '.claude' / 'projects'}"
