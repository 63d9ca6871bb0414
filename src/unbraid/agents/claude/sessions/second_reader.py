"""A second process that reads transcripts: Python computes on one core, and a history is large when
it is read for the first time.

It begins at the end of the list, and its parent at the beginning. So both finish at the same time,
however long their files are and whatever else the parent does. Neither waits for the other: what
the second one has not read when its parent gets there, or when it is gone, its parent reads itself.

It is forked, so it has everything already and starts in a millisecond. That is safe only for a
process without other threads: a command that prints and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, Never, TypeVar

import msgspec

from unbraid.agents.claude.sessions.discovery import File

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
# What it has found waits here while its parent reads a long file.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 4

T = TypeVar("T")


class SecondReader(Generic[T]):
    """Reads files in another process, the last one first, if it is `forked`. What is found in
    `at_once` files is sent together, by their paths; `decode` reads that.
    """

    def __init__(
        self,
        files: Sequence[File],
        read: Callable[[File], T | None],
        decode: Callable[[bytes], dict[str, T]],
        *,
        forked: bool = True,
        at_once: int = 1,
    ) -> None:
        self._files, self._read, self._at_once = files, read, at_once
        self._decode, self._received = decode, b""
        self._found: dict[str, T] = {}
        self._source: int | None = None
        if forked:
            self._fork()

    def take(self, file: File) -> T | None:
        """Returns what was found in a file; None if it has not been read, or could not be."""
        self._receive()
        found = self._found.pop(file.path, None)
        if found is not None:
            self.close()  # it has come to what its parent has read
        return found

    def take_all(self) -> dict[str, T]:
        """Returns what is found in all files, by their paths; reads the first ones itself."""
        mine: dict[str, T] = {}
        for begin in range(0, len(self._files), self._at_once):
            self._receive()
            if self._files[begin].path in self._found:
                break
            mine |= self._read_some(self._files[begin : begin + self._at_once])
        self.close()
        return self._found | mine

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
            for end in range(len(self._files), 0, -self._at_once):
                found = self._read_some(self._files[max(end - self._at_once, 0) : end])
                data = msgspec.msgpack.encode(found)
                left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                while left:
                    left = left[os.write(sink, left) :]
        except BaseException:
            pass  # its parent sees that it is gone
        finally:
            os._exit(0)

    def _read_some(self, files: Sequence[File]) -> dict[str, T]:
        read = {file.path: self._read(file) for file in files}
        return {path: found for path, found in read.items() if found is not None}

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


def are_large(files: Sequence[File]) -> bool:
    """Returns whether files are so large that two should read them, and this process may have
    a second one.
    """
    return sum(file.size for file in files) >= MIN_BYTES and may_fork()


def may_fork() -> bool:
    """Returns whether this process may have a second one, and a core for it."""
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1
