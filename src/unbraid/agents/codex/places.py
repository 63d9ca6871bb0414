"""Where Codex keeps its sessions on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

# Ids begin with their time: version 7, by which they differ from those of other kinds.
SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def codex_home(env: Mapping[str, str]) -> Path:
    """Returns Codex's own folder."""
    return _named_home(env).resolve()


def codex_folders(env: Mapping[str, str]) -> list[Path]:
    """Returns the folders with rollouts that there are. They may be links; what is in them may
    not.
    """
    # Watchers call this all the time, so only folders that exist are resolved.
    folders = [_named_home(env) / name for name in ("sessions", "archived_sessions")]
    return [folder.resolve() for folder in folders if folder.is_dir()]


def _named_home(env: Mapping[str, str]) -> Path:
    given = env.get("CODEX_HOME")
    return Path(given) if given else Path(env.get("HOME") or Path.home()) / ".codex"
