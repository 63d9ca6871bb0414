"""Which processes write which sessions of OpenCode's database, by what Linux knows of them.

A process that has a database open holds a lock on it, and the system lists all locks with their
holders.
A process that has written fewer bytes since the last poll than a page of the database needs, to
whatever file, has not written what is new in the database. Every other process is a candidate. A
process that was once the only candidate is the writer; candidates that never were the only one
wrote something else at that time. A session is live for as long as one of its writers is.

If no process was ever seen (another system, a container's process beside a shared folder), nothing
is concluded.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from unbraid.system.liveness import PROCESSES, start_of

# Nothing ends before its last rows have been recorded, which may wait for each other.
LAST_ROWS_GRACE_SECONDS = 4.0

# The smallest page that SQLite has.
LEAST_BYTES = 512
# What SQLite locks while a database is open. Its file is known by its number alone: some file
# systems (Btrfs) have another number for the device here than they give elsewhere.
_HOLDER = rb"POSIX +ADVISORY +READ +(\d+) [0-9a-f]+:[0-9a-f]+:%d 1073741826 1073742335$"
_WRITTEN = re.compile(rb"^wchar: (\d+)$", re.MULTILINE)


class WriterProcess(NamedTuple):
    """A process, identified so that a later one with the same number is not taken for it."""

    pid: int
    start: str


# How many bytes each has written so far; None where that is not known.
Written = dict[WriterProcess, int | None]


class Writers:
    """Tracks which processes may have written which sessions. Call `looking` before and `looked`
    after each read of the database.
    """

    def __init__(self, database: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.gone: set[str] = set()  # root sessions whose last words have been read
        self._database, self._clock = database, clock
        self._before: Written | None = None
        self._now: Written = {}
        self._began = clock()
        # Root session: which processes may have written it, and whether once no other may have.
        self._writers: dict[str, dict[WriterProcess, bool]] = {}
        self._silent: dict[str, float] = {}  # root session: since when no writer of it lives

    def looking(self) -> None:
        """Notes which processes have the database open; it is about to be read."""
        self._began, self._now = self._clock(), holders(self._database)

    def looked(self, changed: Collection[str]) -> None:
        """Notes which root sessions have changed since the read before; it has just been read."""
        if changed:
            wrote = self._wrote(holders(self._database))
            for root in changed:
                self._spoke(root, wrote)
        self._before = self._now
        self._silent = {
            root: self._silent.get(root, self._clock())
            for root, writers in self._writers.items()
            if not any(map(self._lives, writers))
        }
        # Use the time at which this poll began: everything written before that has been read.
        self.gone = {
            root for root, at in self._silent.items() if self._began - at >= LAST_ROWS_GRACE_SECONDS
        }

    @property
    def are_absent(self) -> bool:
        """Whether no process had the database open at the last two looks."""
        return self._before == {} and self._now == {} and is_unattended(self._database)

    def forget(self, root: str) -> None:
        """Forgets a session that has ended; a process that continues it counts as a new one."""
        self._writers.pop(root, None)
        self._silent.pop(root, None)
        self.gone.discard(root)

    def _wrote(self, after: Written) -> set[WriterProcess]:
        before = self._before or {}

        def may(process: WriterProcess) -> bool:
            was, now = before.get(process, 0), after.get(process)
            return was is None or now is None or now - was >= LEAST_BYTES

        return set(filter(may, before | self._now | after))

    def _spoke(self, root: str, wrote: set[WriterProcess]) -> None:
        self._silent.pop(root, None)
        if not wrote:
            self._writers.pop(root, None)  # a process that cannot be seen
            return
        writers = self._writers.setdefault(root, {})
        # What was written before the first look may be from any process that was there: all of them
        # stay.
        alone = len(wrote) == 1 or self._before is None
        for each in wrote:
            writers[each] = writers.get(each, False) or alone
        if any(writers.values()):
            self._writers[root] = {each: True for each, sure in writers.items() if sure}

    def _lives(self, process: WriterProcess) -> bool:
        return process in self._now or start_of(process.pid) == process.start


def is_unattended(database: Path) -> bool:
    """Returns whether certainly no process has a database open."""
    return (PROCESSES / "locks").is_file() and not holders(database)


def holders(database: Path) -> Written:
    """Returns the processes that have a database open, except this one."""
    try:
        inode = database.stat().st_ino
        locks = (PROCESSES / "locks").read_bytes()
    except OSError:
        return {}
    found: Written = {}
    for pid in {int(pid) for pid in re.findall(_HOLDER % inode, locks, re.MULTILINE)}:
        start = start_of(pid)
        if start is not None and pid != os.getpid():
            found[WriterProcess(pid, start)] = _written(pid)
    return found


def _written(pid: int) -> int | None:
    try:
        count = _WRITTEN.search((PROCESSES / str(pid) / "io").read_bytes())
    except OSError:
        return None
    return int(count[1]) if count else None
