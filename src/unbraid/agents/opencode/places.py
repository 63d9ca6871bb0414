"""Where OpenCode, or a program made from it, keeps its sessions on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.opencode.editions import OPENCODE, Edition

SESSION_ID = re.compile(r"ses_[0-9A-Za-z]+")


def opencode_database(env: Mapping[str, str], edition: Edition = OPENCODE) -> Path | None:
    """Returns its database, if there is one."""
    given = env.get(edition.variable("DB"))
    path = Path(given) if given else _data_folder(env, edition) / f"{edition.name}.db"
    return path.resolve() if path.is_file() else None


def opencode_stores(env: Mapping[str, str], edition: Edition = OPENCODE) -> list[Path]:
    """Returns all places where it keeps sessions: its database, and the folder of files before 1.2.

    A session of both is the database's.
    """
    database = opencode_database(env, edition)
    storage = (_data_folder(env, edition) / "storage").resolve()
    found = [database] if database is not None else []
    if not storage.is_dir():
        return found
    from unbraid.agents.opencode.sessions.storage import is_storage

    return [*found, storage] if is_storage(storage) else found


def _data_folder(env: Mapping[str, str], edition: Edition) -> Path:
    home = Path(env.get("HOME") or Path.home())
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / edition.name
