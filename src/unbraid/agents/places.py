"""Where the agents keep their things on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from unbraid.agents.opencode.storage import is_storage

CLAUDE_SESSION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The agents whose bytes lie on this machine, as runs name their source.
FAMILIES = ("claude", "opencode")
# A session that nobody follows counts as live while it has spoken as lately as this.
LIVE_SECONDS = 60
OPENCODE_SESSION = re.compile(r"ses_[0-9A-Za-z]+")


def claude_projects(env: Mapping[str, str]) -> list[Path]:
    """Claude Code's folders of transcripts that exist."""
    home = Path(env.get("HOME") or Path.home())
    given = env.get("CLAUDE_CONFIG_DIR")
    folders = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [folder / "projects" for folder in folders if (folder / "projects").is_dir()]


def opencode_database(env: Mapping[str, str]) -> Path | None:
    """OpenCode's database, if there is one."""
    given = env.get("OPENCODE_DB")
    path = Path(given) if given else _opencode(env) / "opencode.db"
    return path if path.is_file() else None


def opencode_stores(env: Mapping[str, str]) -> list[Path]:
    """Everywhere OpenCode keeps sessions: its database, and the folder of files before 1.2.

    A session of both is the database's.
    """
    database, storage = opencode_database(env), _opencode(env) / "storage"
    found = [database] if database is not None else []
    return [*found, storage] if is_storage(storage) else found


def _opencode(env: Mapping[str, str]) -> Path:
    home = Path(env.get("HOME") or Path.home())
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"


def session_transcripts(session: str, env: Mapping[str, str]) -> Iterator[Path]:
    """The transcripts of a session of Claude Code's."""
    for projects in claude_projects(env):
        # Not everything that is called so is a file: whoever opens a pipe waits for ever.
        yield from filter(Path.is_file, sorted(projects.glob(f"*/{session}.jsonl")))
