"""Locked files: which of several processes does something."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO


def locked_file(path: Path) -> IO[bytes] | None:
    """Opens a file and locks it until it is closed, or the process ends; None if another process
    has it locked. Raises OSError if it cannot be opened.
    """
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
