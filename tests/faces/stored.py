"""Recordings laid out as the home folder that their CLI would have left behind."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

# Long enough ago that no list takes it for live.
AGO_SECONDS = 7200.0


def home_of(folder: Path, place: Path) -> dict[str, str] | None:
    """Lays a recording's stored session out below `place`; None if its CLI has stored nothing."""
    env = {
        "HOME": str(place),
        "CLAUDE_CONFIG_DIR": str(place / "claude"),
        "CODEX_HOME": str(place / "codex"),
        "XDG_DATA_HOME": str(place / "data"),
        "UNBRAID_HOME": str(place / "unbraid"),
        "PATH": os.environ["PATH"],
        "TZ": "UTC",
    }
    if (folder / "projects").is_dir():
        shutil.copytree(folder / "projects", place / "claude" / "projects", dirs_exist_ok=True)
    elif (folder / "sessions").is_dir():
        shutil.copytree(folder / "sessions", place / "codex" / "sessions", dirs_exist_ok=True)
        for database in folder.glob("state_*.sqlite"):
            shutil.copy(database, place / "codex" / database.name)
    elif databases := [*folder.glob("opencode.db"), *folder.glob("kilo.db")]:
        for database in databases:
            (place / "data" / database.stem).mkdir(parents=True, exist_ok=True)
            shutil.copy(database, place / "data" / database.stem / database.name)
    else:
        return None
    ago = time.time() - AGO_SECONDS
    for path in place.rglob("*"):
        os.utime(path, (ago, ago))
    return env
