"""What is on its way to another machine's log, kept in a file until that has it all.

One file for each run: where it goes, then every piece of its sources in the order in which they
were told. Whoever writes or delivers it holds its lock; one that nobody holds belonged to a process
that is gone, and anyone may deliver it. The whole run stays in it to the end: a server that has
lost what it had is given it again.
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
from unbraid.wire.chunk import Chunk

FOLDER = "outbox"
# At most this much goes at once, and only a line that is longer is cut.
LETTER_BYTES = 1 << 20
LONGEST_BYTES = 8 << 20


class Address(Struct):
    """Which server gets it, and as which run."""

    url: str
    run: str


class Head(Struct):
    """What stands before a piece's bytes; `at` is when they were told, in milliseconds."""

    source: str
    offset: int
    at: int
    size: int


class Letter(Struct):
    """Bytes of one source, as they are sent."""

    source: str
    offset: int
    at: int
    data: bytes


_head = msgspec.json.Decoder(Head).decode


class Outbox:
    """The file of one run, while it is being written."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self._file = path, file

    @classmethod
    def create(cls, home: Path, address: Address) -> Outbox:
        """A new file."""
        folder = home / FOLDER
        path = folder / f"{address.run}.{os.getpid()}"
        try:
            # Agents' words are private: nobody else on the machine may read them.
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            file = path.open("wb")
        except OSError as error:
            raise LogError(f"{path}: {error.strerror}") from error
        fcntl.flock(file, fcntl.LOCK_EX)
        outbox = cls(path, file)
        outbox._write(msgspec.json.encode(address) + b"\n")
        return outbox

    def put(self, piece: Chunk, at: int) -> None:
        """One more piece."""
        place = 0
        for part in _parts(piece.data):
            head = Head(piece.source, piece.offset + place, at, len(part))
            self._write(msgspec.json.encode(head) + b"\n", part)
            place += len(part)

    def close(self) -> None:
        """Let go of the file; what is in it stays."""
        with contextlib.suppress(OSError):
            self._file.close()

    def remove(self) -> None:
        """It has arrived."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.close()

    def _write(self, *parts: bytes) -> None:
        try:
            self._file.write(b"".join(parts))
            self._file.flush()
        except OSError as error:
            raise LogError(f"{self.path}: {error.strerror}") from error


class Letters:
    """An outbox as it is read, perhaps while it grows."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.address = msgspec.json.decode(self._file.readline(), type=Address)
        self._first = self._file.tell()

    def next(self) -> Letter | None:
        """The next bytes to send, neighbours of one source together; None at the end so far."""
        start = self._file.tell()
        letter = self._read()
        if letter is None:
            self._file.seek(start)
            return None
        parts, size = [letter.data], len(letter.data)
        while size < LETTER_BYTES:
            start = self._file.tell()
            more = self._read()
            if more is None or more.source != letter.source or more.offset != letter.offset + size:
                self._file.seek(start)
                break
            parts.append(more.data)
            size += len(more.data)
            letter.at = more.at
        letter.data = b"".join(parts)
        return letter

    def rewind(self) -> None:
        """Begin again."""
        self._file.seek(self._first)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read(self) -> Letter | None:
        line = self._file.readline()
        if not line.endswith(b"\n"):
            return None
        head = _head(line)
        data = self._file.read(head.size)
        if len(data) < head.size:
            return None
        return Letter(head.source, head.offset, head.at, data)


def waiting(home: Path) -> Iterator[Outbox]:
    """The files that nobody works on; each is ours until it is closed."""
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
    """Bytes in parts that a server takes: whole lines, unless one is too long by itself."""
    start = 0
    while len(data) - start > LETTER_BYTES:
        end = data.rfind(b"\n", start, start + LETTER_BYTES) + 1
        if not end:
            end = data.find(b"\n", start, start + LONGEST_BYTES) + 1
        if not end:
            end = min(start + LONGEST_BYTES, len(data))
        yield data[start:end]
        start = end
    if start < len(data):
        yield data[start:]
