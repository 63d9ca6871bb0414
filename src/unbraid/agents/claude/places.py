"""Where Claude Code keeps its sessions on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from unbraid.system.files import is_regular

SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def claude_configs(env: Mapping[str, str]) -> list[Path]:
    """Returns Claude Code's own folders that have sessions."""
    return [projects.parent.resolve() for projects in _named_projects(env)]


def claude_projects(env: Mapping[str, str]) -> list[Path]:
    """Returns Claude Code's folders of transcripts that exist. They may be links; what is in them
    may not.
    """
    return [projects.resolve() for projects in _named_projects(env)]


def _named_projects(env: Mapping[str, str]) -> list[Path]:
    home = Path(env.get("HOME") or Path.home())
    given = env.get("CLAUDE_CONFIG_DIR")
    folders = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [path for path in (folder / "projects" for folder in folders) if path.is_dir()]


def session_transcripts(session: str, env: Mapping[str, str]) -> Iterator[Path]:
    """Yields the transcripts of one of Claude Code's sessions."""
    for projects in claude_projects(env):
        # Not everything with such a name is a file, and opening a pipe would wait forever.
        yield from filter(is_regular, sorted(projects.glob(f"*/{session}.jsonl")))
