"""A second process that reads every other transcript: Python computes on one core, and a history is
large when it is read for the first time.

It is forked, so it has everything already and starts in a millisecond. That is safe only for a
process without other threads: a command that prints and ends. Whatever it has not read when it is
gone, its parent reads itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from unbraid.agents.claude.sessions.discovery import File
from unbraid.agents.claude.sessions.facts import Facts

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
_LENGTH_BYTES = 4

Read = Callable[[File], Facts | None]


class SecondReader:
    """Reads files in another process, in their order; they are taken in the same order."""

    def __init__(self, files: Sequence[File], read: Read) -> None:
        self._places = {file.path: place for place, file in enumerate(files)}
        self._reached = -1
        self._latest: Facts | None = None
        source, sink = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(source)
            _read_all(files, read, sink)
        os.close(sink)
        self._results = os.fdopen(source, "rb")

    def take(self, file: File) -> Facts | None:
        """Returns what was found in a file; None if it is not one of its own, or could not be
        read.
        """
        wanted = self._places.get(file.path)
        while wanted is not None and self._reached < wanted:
            size = int.from_bytes(self._results.read(_LENGTH_BYTES), "big")
            data = self._results.read(size)
            if not size or len(data) < size:
                self._places.clear()  # it is gone
                return None
            self._reached, self._latest = msgspec.msgpack.decode(data, type=tuple[int, Facts])
        return self._latest if self._reached == wanted else None

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        self._results.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def shared_out(files: Sequence[File]) -> list[File]:
    """Returns the files for a second reader: about half of the bytes, none if there are few, or if
    this process cannot have one.
    """
    if sum(file.size for file in files) < MIN_BYTES or not _may_fork():
        return []
    own = other = 0
    found: list[File] = []
    for file in files:
        if other < own:
            found.append(file)
            other += file.size
        else:
            own += file.size
    return found


def _may_fork() -> bool:
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1


def _read_all(files: Sequence[File], read: Read, sink: int) -> None:
    """The other process; never returns."""
    try:
        for place, file in enumerate(files):
            facts = read(file)
            if facts is not None:
                data = msgspec.msgpack.encode((place, facts))
                left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                while left:
                    left = left[os.write(sink, left) :]
    except BaseException:
        pass  # its parent sees that it is gone
    finally:
        os._exit(0)
