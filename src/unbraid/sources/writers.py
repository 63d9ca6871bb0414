"""Who has a file open to write, by what Linux tells of its processes.

A database of OpenCode's that had writers and has none any more says nothing further: whoever spoke
through it has ended, or was killed. Where no writer was ever seen (another system, a container's
process beside a shared folder) nothing is concluded.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROCESSES = Path("/proc")
# Looking through all processes is dear; one whose writers are known is only looked at itself.
AGAIN_SECONDS = 10.0
_WRITES = os.O_WRONLY | os.O_RDWR


class Writers:
    """The processes that may write to one file, look by look."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path.resolve(), clock
        self._known: set[int] = set()
        self._searched = float("-inf")

    def gone(self) -> bool:
        """Whether there were some at the look before, and there are none now."""
        before = self._known
        self._known = {pid for pid in before if self._writes(pid)}
        if self._known or (not before and self._clock() - self._searched < AGAIN_SECONDS):
            return False
        self._searched = self._clock()
        self._known = {pid for pid in _processes() if self._writes(pid)}
        return bool(before) and not self._known

    def _writes(self, pid: int) -> bool:
        try:
            return any(map(self._is_writing, (PROCESSES / str(pid) / "fd").iterdir()))
        except OSError:
            return False  # it has ended, or is somebody else's

    def _is_writing(self, file: Path) -> bool:
        try:
            told = file.parent.with_name("fdinfo") / file.name
            return file.readlink() == self._path and bool(_flags(told) & _WRITES)
        except OSError:
            return False  # closed since: a process that works opens and closes files all the time


def _processes() -> Iterator[int]:
    try:
        names = [path.name for path in PROCESSES.iterdir()]
    except OSError:
        return
    yield from (int(name) for name in names if name.isdecimal())


def _flags(path: Path) -> int:
    told = re.search(r"^flags:\s+([0-7]+)$", path.read_text(), re.MULTILINE)
    return int(told[1], 8) if told else 0
