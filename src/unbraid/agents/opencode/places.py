"""Where OpenCode keeps its sessions on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.opencode.sessions.storage import is_storage

SESSION_ID = re.compile(r"ses_[0-9A-Za-z]+")


def opencode_database(env: Mapping[str, str]) -> Path | None:
    """OpenCode's database, if there is one."""
    given = env.get("OPENCODE_DB")
    path = Path(given) if given else _data_folder(env) / "opencode.db"
    return path if path.is_file() else None


def opencode_stores(env: Mapping[str, str]) -> list[Path]:
    """Everywhere OpenCode keeps sessions: its database, and the folder of files before 1.2.

    A session of both is the database's.
    """
    database, storage = opencode_database(env), _data_folder(env) / "storage"
    found = [database] if database is not None else []
    return [*found, storage] if is_storage(storage) else found


def _data_folder(env: Mapping[str, str]) -> Path:
    home = Path(env.get("HOME") or Path.home())
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
