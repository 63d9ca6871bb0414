r"""A file that others write: its new whole lines, whatever happens to it.

Invariants:
- What is given out ends with a `\n`: a half-written line waits on disk until it is whole, so a
  place to go on from is the start of a line. Only what is longer than any line is given out as it
  comes, in parts: an agent can make a file of any size that has no line in it.
- A file that still begins with what was read, and still has the last bytes of it where they were,
  has only grown. That holds over a restart, and for a copy put in its place under the same name.
- Any other file under the name (truncated, rewritten, recreated) is read again from its start, as
  the next `generation` of the source. Its reader recognizes the lines it has seen before.
- Nothing raises: a file that is gone or forbidden gives nothing, and `problem` says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.system.files import open_regular, read_at

READ_BYTES = 1 << 20
MARK_BYTES = 256


class Place(NamedTuple):
    """How far a file has been read: its generation, the next byte, and what stands before it."""

    generation: int = 1
    offset: int = 0
    head: bytes = b""
    tail: bytes = b""


class _Stamp(NamedTuple):
    """What changes when a file is written to, or another one is put in its place."""

    inode: int
    size: int
    mtime_ns: int


class Tail:
    """Reads one growing file, from a place on. `generation` counts the files under its name."""

    def __init__(self, path: Path, place: Place | None = None) -> None:
        self.path = path
        self.problem: str | None = None
        self.generation, self.offset, self._head, self._last = place or Place()
        self._scanned = self.offset  # there is no newline between the offset and here
        self._stamp: _Stamp | None = None

    def size(self) -> int:
        """Returns the file's size now, 0 if there is none."""
        status = self._status()
        return 0 if status is None else status.size

    def changed(self) -> int | None:
        """Returns the file's size now, if there may be something new in it."""
        status = self._status()
        return None if status is None or status == self._stamp else status.size

    def read(self, upto: int | None = None) -> Iterator[Chunk]:
        """Yields the whole lines that are new, up to the size `upto`; all are of one
        `generation`.
        """
        status = self._status()
        if status is None or status == self._stamp:
            return
        try:
            with open_regular(self.path) as file:
                self.problem = None
                if self._replaced(file.fileno(), status.size):
                    self.generation, self.offset, self._scanned = self.generation + 1, 0, 0
                    self._head = self._last = b""
                    upto = None
                yield from self._lines(file.fileno(), upto)
            # The look from before the reading: what was appended since must be looked at again.
            whole = upto is None or upto >= status.size
            self._stamp = status if whole else None
        except OSError as error:
            self._failed(error)

    def peek(self, upto: int, since: int | None = None) -> bytes:
        """Returns what is new up to a size, or in it from an offset on, without taking it."""
        first = self.offset if since is None else since
        try:
            with open_regular(self.path) as file:
                return os.pread(file.fileno(), max(upto - first, 0), first)
        except OSError as error:
            self._failed(error)
            return b""

    def rest(self) -> Iterator[Chunk]:
        """Yields the half line at the end, once nothing more will be written."""
        try:
            with open_regular(self.path) as file:
                yield from self._parts(file.fileno(), self.size())
        except OSError as error:
            self._failed(error)

    def _parts(self, file: int, upto: int) -> Iterator[Chunk]:
        while data := read_at(file, min(READ_BYTES, max(upto - self.offset, 0)), self.offset):
            chunk = Chunk(self.path.name, self.offset, data)
            self._advance(data)
            yield chunk

    def _lines(self, file: int, upto: int | None) -> Iterator[Chunk]:
        while upto is None or self._scanned < upto:
            want = READ_BYTES if upto is None else min(READ_BYTES, upto - self._scanned)
            data = read_at(file, want, self._scanned)
            if not data:
                return
            end = data.rfind(b"\n") + 1
            if not end:
                self._scanned += len(data)
                if self._scanned - self.offset > DEFAULT_MAX_LINE_BYTES:
                    yield from self._parts(file, self._scanned)
                continue
            begun = os.pread(file, self._scanned - self.offset, self.offset)
            chunk = Chunk(self.path.name, self.offset, begun + data[:end])
            self._advance(chunk.data)
            yield chunk

    def _advance(self, data: bytes) -> None:
        # A place may come without its first bytes, or with few: what follows them is not here.
        if self.offset == len(self._head) < MARK_BYTES:
            self._head = (self._head + data)[:MARK_BYTES]
        self._last = (self._last + data[-MARK_BYTES:])[-MARK_BYTES:]
        self.offset += len(data)
        self._scanned = self.offset

    def _replaced(self, file: int, size: int) -> bool:
        if size < self._scanned:
            return True
        # A second writer of the same bytes is none: only what differs was rewritten.
        last_at = self.offset - len(self._last)
        return (
            os.pread(file, len(self._last), last_at) != self._last
            or os.pread(file, len(self._head), 0) != self._head
        )

    def _status(self) -> _Stamp | None:
        try:
            status = self.path.stat()
            return _Stamp(status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError as error:
            self._failed(error)
            return None

    def _failed(self, error: OSError) -> None:
        self._stamp = None
        self.problem = error.strerror or str(error)
