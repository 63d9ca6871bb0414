"""What is on its way to another machine's log, kept in a file until that has it all.

One file for each run: where it goes, then every chunk of its sources in the order in which they
came. The process that writes or delivers it holds its lock; a file whose lock is free belonged
to a process that is gone, and any process may deliver it. The whole run stays in it to the end: a
server that has lost what it had is given it again. Of a line past the limit only the length is
kept, and zeros are sent: the server counts them, as it would have counted the line's own bytes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from unbraid.errors import LogError
from unbraid.system.home import make_private_folder
from unbraid.wire.chunk import Chunk
from unbraid.wire.lines import OpenLines

FOLDER = "outbox"
# At most this much goes at once, and only a line that is longer is cut.
CHUNK_BYTES = 1 << 20
LONGEST_BYTES = 8 << 20


class Address(Struct):
    """Which server gets it, and as which run."""

    url: str
    run: str


class Head(Struct):
    """What stands before a chunk's bytes; `at` is when they came, in milliseconds since 1970. Those
    that were `left_out` are only counted.
    """

    source: str
    offset: int
    at: int
    size: int
    left_out: bool = False


_head = msgspec.json.Decoder(Head).decode


class Outbox:
    """The file of one run, while it is being written."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self._file = path, file
        self._open_lines = OpenLines()
        self._reached: dict[str, int] = {}

    @classmethod
    def create(cls, home: Path, address: Address) -> Outbox:
        """Returns a new file."""
        folder = home / FOLDER
        path = folder / f"{address.run}.{os.getpid()}"
        try:
            # Agents' words are private: nobody else on the machine may read them.
            make_private_folder(folder)
            path.touch(mode=0o600)
            file = path.open("wb")
        except OSError as error:
            raise LogError(f"{path}: {error.strerror}") from error
        fcntl.flock(file, fcntl.LOCK_EX)
        outbox = cls(path, file)
        outbox._write(msgspec.json.encode(address) + b"\n")
        return outbox

    def put(self, chunk: Chunk) -> None:
        """Adds one more chunk."""
        source, offset, data, at = chunk
        # A log, too, leaves out what is past the limit.
        missing = self._reached.get(source, offset)
        while self._open_lines.is_overlong(source) and missing < offset:
            size = min(CHUNK_BYTES, offset - missing)
            self._write_head(Head(source, missing, at, size, left_out=True))
            missing += size
        for part in _parts(data):
            head = Head(source, offset, at, len(part))
            head.left_out = self._open_lines.take(source, part)
            self._write_head(head, b"" if head.left_out else part)
            offset += len(part)
        self._reached[source] = offset

    def close(self) -> None:
        """Let go of the file; what is in it stays."""
        with contextlib.suppress(OSError):
            self._file.close()

    def remove(self) -> None:
        """Deletes the file: all of it has arrived."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.close()

    def _write_head(self, head: Head, data: bytes = b"") -> None:
        self._write(msgspec.json.encode(head) + b"\n", data)

    def _write(self, *parts: bytes) -> None:
        try:
            self._file.write(b"".join(parts))
            self._file.flush()
        except OSError as error:
            raise LogError(f"{self.path}: {error.strerror}") from error


class OutboxReader:
    """An outbox as it is read, perhaps while it grows."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.address = msgspec.json.decode(self._file.readline(), type=Address)
        self._first = self._file.tell()

    def next(self) -> Chunk | None:
        """Returns the next bytes to send, neighbours of one source together; None at the end so
        far.
        """
        start = self._file.tell()
        chunk = self._read()
        if chunk is None:
            self._file.seek(start)
            return None
        parts, size, arrived_ms = [chunk.data], len(chunk.data), chunk.arrived_ms
        while size < CHUNK_BYTES:
            start = self._file.tell()
            more = self._read()
            if more is None or more.source != chunk.source or more.offset != chunk.offset + size:
                self._file.seek(start)
                break
            parts.append(more.data)
            size += len(more.data)
            arrived_ms = more.arrived_ms
        return chunk._replace(data=b"".join(parts), arrived_ms=arrived_ms)

    def rewind(self) -> None:
        """Begin again."""
        self._file.seek(self._first)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read(self) -> Chunk | None:
        line = self._file.readline()
        if not line.endswith(b"\n"):
            return None
        head = _head(line)
        data = bytes(head.size) if head.left_out else self._file.read(head.size)
        if len(data) < head.size:
            return None
        return Chunk(head.source, head.offset, data, head.at)


def waiting(home: Path) -> Iterator[Outbox]:
    """Yields the files that nobody works on; each is ours until it is closed."""
    for path in sorted((home / FOLDER).glob("*")):
        with contextlib.suppress(OSError):
            file = path.open("rb")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                continue
            yield Outbox(path, file)


def _parts(data: bytes) -> Iterator[bytes]:
    """Yields bytes in parts that a server accepts: whole lines, unless one is too long by
    itself.
    """
    start = 0
    while len(data) - start > CHUNK_BYTES:
        end = data.rfind(b"\n", start, start + CHUNK_BYTES) + 1
        if not end:
            end = data.find(b"\n", start, start + LONGEST_BYTES) + 1
        if not end:
            end = min(start + LONGEST_BYTES, len(data))
        yield data[start:end]
        start = end
    if start < len(data):
        yield data[start:]
