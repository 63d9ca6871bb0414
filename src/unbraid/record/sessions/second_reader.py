"""A second process that reads sessions: Python computes on one core, and a history is large when it
is read for the first time.

It begins at the end of the list, and its parent at the beginning. So both finish at the same time,
however long their sessions are and whatever else the parent does. Neither waits for the other: what
the second one has not read when its parent gets there, or when it is gone, its parent reads itself.

It is forked, so it has everything already and starts in a millisecond. That is safe only for a
process without other threads: a command that prints and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Never, TypeVar

import msgspec

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
# What it has found waits here while its parent reads a long file.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 4

S = TypeVar("S")
T = TypeVar("T")


class SecondReader(Generic[S, T]):
    """Reads things in another process, by their names, the last one first; `decode` reads what it
    has found.
    """

    def __init__(
        self,
        things: dict[str, S],
        read: Callable[[S], T | None],
        decode: Callable[[bytes], dict[str, T]],
    ) -> None:
        self._things, self._read = things, read
        self._decode, self._received = decode, b""
        self._found: dict[str, T] = {}
        self._source: int | None = None
        if things:
            self._fork()

    def take(self, name: str) -> T | None:
        """Returns what was found in one of them; None if it has not been read, or could not be."""
        self._receive()
        found = self._found.pop(name, None)
        if found is not None:
            self.close()  # it has come to what its parent has read
        return found

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._source is not None:
            os.close(self._source)
            self._source = None
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)

    def _fork(self) -> None:
        source, sink = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(source)
            self._read_all(sink)
        os.close(sink)
        os.set_blocking(source, False)
        self._source = source

    def _read_all(self, sink: int) -> Never:
        """Runs in the other process: reads all files, and writes what was found to the pipe."""
        import fcntl

        try:
            with suppress(OSError):  # no more than its owner may have
                fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            for name, thing in reversed(self._things.items()):
                found = self._read(thing)
                if found is None:
                    continue
                data = msgspec.msgpack.encode({name: found})
                left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                while left:
                    left = left[os.write(sink, left) :]
        except BaseException:
            pass  # its parent sees that it is gone
        finally:
            os._exit(0)

    def _receive(self) -> None:
        if self._source is None:
            return
        with suppress(BlockingIOError):
            # Only one read: a loop until the pipe is empty could last as long as the other writes.
            self._received += os.read(self._source, PIPE_BYTES)
        at, size = 0, len(self._received)
        while at + _LENGTH_BYTES <= size:
            begin = at + _LENGTH_BYTES
            end = begin + int.from_bytes(self._received[at:begin], "big")
            if end > size:
                break
            self._found |= self._decode(self._received[begin:end])
            at = end
        self._received = self._received[at:]


def may_fork() -> bool:
    """Returns whether this process may have a second one, and a core for it."""
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1
