"""A second process that reads transcripts: Python computes on one core, and a history is large when
it is read for the first time.

It begins at the end of the list, and its parent at the beginning. Where they meet is where each had
the same time, however long their files are and whatever else the parent does. Neither waits for the
other: what the second one has not read when its parent gets there, or when it is gone, its parent
reads itself.

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

import msgspec

from unbraid.agents.claude.sessions.discovery import File
from unbraid.agents.claude.sessions.transcript_facts import Facts
from unbraid.events.decoders import msgpack_decoder

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
# What it has found waits here while its parent reads a long file.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 4

Read = Callable[[File], Facts | None]


class SecondReader:
    """Reads files in another process, the last one first."""

    def __init__(self, files: Sequence[File], read: Read) -> None:
        self._received = b""
        self._decode = msgpack_decoder(tuple[str, Facts]).decode
        self._found: dict[str, Facts] = {}
        source, sink = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(source)
            _read_all(files, read, sink)
        os.close(sink)
        os.set_blocking(source, False)
        self._source: int | None = source

    def take(self, file: File) -> Facts | None:
        """Returns what was found in a file; None if it has not been read, or could not be."""
        self._receive()
        facts = self._found.pop(file.path, None)
        if facts is not None:
            self.close()  # it has come to what its parent has read
        return facts

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._source is not None:
            os.close(self._source)
            self._source = None
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)

    def _receive(self) -> None:
        if self._source is None:
            return
        with suppress(BlockingIOError):
            while data := os.read(self._source, PIPE_BYTES):
                self._received += data
        at, size = 0, len(self._received)
        while at + _LENGTH_BYTES <= size:
            begin = at + _LENGTH_BYTES
            end = begin + int.from_bytes(self._received[at:begin], "big")
            if end > size:
                break
            path, facts = self._decode(self._received[begin:end])
            self._found[path], at = facts, end
        self._received = self._received[at:]


def is_worth_it(files: Sequence[File]) -> bool:
    """Returns whether files are so large that two should read them, and this process can have a
    second one.
    """
    return sum(file.size for file in files) >= MIN_BYTES and _may_fork()


def _may_fork() -> bool:
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1


def _read_all(files: Sequence[File], read: Read, sink: int) -> None:
    """The other process; never returns."""
    import fcntl

    try:
        with suppress(OSError):  # no more than its owner may have
            fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        for file in reversed(files):
            facts = read(file)
            if facts is not None:
                data = msgspec.msgpack.encode((file.path, facts))
                left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                while left:
                    left = left[os.write(sink, left) :]
    except BaseException:
        pass  # its parent sees that it is gone
    finally:
        os._exit(0)
