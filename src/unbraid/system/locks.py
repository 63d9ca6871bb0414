"""Locks: which of several processes or tasks does something."""

from __future__ import annotations

import asyncio
import fcntl
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary


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


class NamedLocks:
    """A lock for each name, kept for as long as it is in use."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __contains__(self, name: str) -> bool:
        return name in self._locks

    def of(self, name: str) -> asyncio.Lock:
        """Returns the lock of a name."""
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock
