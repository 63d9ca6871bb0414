"""Where Claude Code keeps its sessions on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def claude_projects(env: Mapping[str, str]) -> list[Path]:
    """Claude Code's folders of transcripts that exist."""
    home = Path(env.get("HOME") or Path.home())
    given = env.get("CLAUDE_CONFIG_DIR")
    folders = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [folder / "projects" for folder in folders if (folder / "projects").is_dir()]


def session_transcripts(session: str, env: Mapping[str, str]) -> Iterator[Path]:
    """Yields the transcripts of one of Claude Code's sessions."""
    for projects in claude_projects(env):
        # Not everything with such a name is a file, and opening a pipe would wait for ever.
        yield from filter(Path.is_file, sorted(projects.glob(f"*/{session}.jsonl")))
