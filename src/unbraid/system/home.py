"""Where unbraid keeps its files: `UNBRAID_HOME`, or the platform's folder for a program's data."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

LOG_FILE_NAME = "log.db"


def data_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Returns the folder of everything that unbraid keeps."""
    if home := environ.get("UNBRAID_HOME"):
        return Path(home)
    user = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or user / "AppData" / "Local") / "unbraid"
    if platform == "darwin":
        return user / "Library" / "Application Support" / "unbraid"
    share = environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a path that is not absolute is to be ignored.
    return (Path(share) if share.startswith("/") else user / ".local" / "share") / "unbraid"
