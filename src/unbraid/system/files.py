"""Files that others write, read safely.

An agent can put anything where we expect a file: a FIFO, at which opening waits for a writer
forever; a folder; a device; a link to a file that its owner may read and the agent may not, so that
we would show it. So what is opened is looked at before it is read, on the descriptor, because the
name may stand for something else a moment later. No link is followed, in no part of a path: code
that takes a path from a person, which may have links in it, resolves it first.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.system.clock import now_ms

# Little enough to stay in a processor's cache while it is searched, for one thing after another.
CHUNK_BYTES = 1 << 18
PAGE_BYTES = 1 << 12
_ZEROS = bytes(CHUNK_BYTES)
# What stands beside a transcript is a few hundred bytes.
SMALL_FILE_BYTES = 1 << 20
# Without O_NONBLOCK the opening of a FIFO itself would wait.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(path: Path | str, *, links: bool = False) -> BinaryIO:
    """Opens a file for reading, unbuffered. Raises OSError, also if it is not a regular file, or is
    a link. With `links`, the file is a person's own and may be a link.
    """
    return os.fdopen(_opened(path, links=links)[0], "rb", buffering=0)


def read_small(path: Path | str, most: int = SMALL_FILE_BYTES, *, links: bool = False) -> bytes:
    """Returns the bytes of a file that should be small; of a larger one, its first part."""
    # A history has thousands of them: making a file object would take most of the time.
    descriptor, status = _opened(path, links=links)
    try:
        return os.read(descriptor, min(status.st_size, most))
    finally:
        os.close(descriptor)


class HeadReader:
    """Reads the first bytes of many files: each folder is looked at once, not with every file."""

    def __init__(self) -> None:
        self._path, self._folder = "", -1

    def read(self, path: str, most: int) -> bytes:
        """Returns the first bytes of a file. Raises OSError as `read_small` does."""
        folder, _, name = path.rpartition("/")
        if folder != self._path:
            self._enter(folder)
        descriptor = os.open(name, _READ | os.O_NOFOLLOW, dir_fd=self._folder)
        try:
            return os.read(descriptor, min(_regular(descriptor, path).st_size, most))
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Closes the folder."""
        if self._path:
            os.close(self._folder)
            self._path = ""

    def _enter(self, folder: str) -> None:
        self.close()
        descriptor = os.open(folder, _READ | os.O_DIRECTORY)
        if not _is_at(descriptor, os.fstat(descriptor), folder):
            os.close(descriptor)
            raise _behind_link(folder)
        # It stays this folder, even if another one is put in its place.
        self._path, self._folder = folder, descriptor


def _opened(path: Path | str, *, links: bool) -> tuple[int, os.stat_result]:
    descriptor = os.open(path, _READ)
    try:
        status = _regular(descriptor, path)
        if not links and not _is_at(descriptor, status, path):
            raise _behind_link(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


def _regular(descriptor: int, path: Path | str) -> os.stat_result:
    """Returns what an open file is. Raises OSError if it is no regular one."""
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return status
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "Not a regular file", str(path))


def _behind_link(path: Path | str) -> OSError:
    return OSError(errno.ELOOP, "Behind a symbolic link, which is not followed", str(path))


def _absolute(path: Path | str) -> str:
    # `Path.resolve` would follow links, and `Path.absolute` leaves dots.
    return os.path.abspath(path)  # noqa: PTH100


def _is_at(descriptor: int, status: os.stat_result, given: Path | str) -> bool:
    """Returns whether an open file is the one of a name, without any link in it."""
    try:
        real = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
    except OSError:
        real = ""  # other systems have no such folder
    path = os.fspath(given)
    if real == path or real == (path := _absolute(path)):
        return True
    # It may have been renamed or deleted since.
    try:
        named = os.lstat(path)
    except OSError:
        return False
    return os.path.realpath(path) == path and os.path.samestat(named, status)


def read_at(file: int, size: int, at: int) -> bytes:
    """Returns bytes of a file like `os.pread`, at most `CHUNK_BYTES` of them where it has a hole.

    A hole costs its writer nothing, whatever its size; so it is not read either.
    """
    hole = _hole(file, at)
    return _ZEROS[: min(size, hole)] if hole >= len(_ZEROS) else os.pread(file, size, at)


def _hole(file: int, at: int) -> int:
    """Returns how many bytes from an offset on are a hole."""
    try:
        return os.lseek(file, at, os.SEEK_DATA) - at
    except (AttributeError, OSError) as error:
        # Nothing but a hole follows, or the end; or this system knows no holes.
        is_last = isinstance(error, OSError) and error.errno == errno.ENXIO
        return max(os.fstat(file).st_size - at, 0) if is_last else 0


def person_path(path: Path) -> Path:
    """Returns a path that a person has named, without the links that it may have in it."""
    real = Path(os.path.realpath(path))
    return path if str(real) == _absolute(path) else real


def is_regular(path: Path) -> bool:
    """Returns whether a path is that of a regular file, and not behind a link."""
    return path.is_file() and os.path.realpath(path) == _absolute(path)


def modified_ms(path: Path) -> int:
    """Returns when a file was last written, in milliseconds since 1970; 0 if it is not there."""
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def seconds_since(paths: Iterable[Path]) -> float:
    """Returns how long ago the latest of some files was written. One from the future was not
    written just now either: the clock was put back, or was another's.
    """
    return abs(now_ms() - max(map(modified_ms, paths), default=0)) / 1000


def keep_buffers() -> None:
    """Lets a process that is about to read much keep the memory of one chunk for the next. The C
    library gives pieces of that size back to the system, which clears each page anew, until a
    larger one was freed once.
    """
    bytes(32 * CHUNK_BYTES)


def chunks(path: Path) -> Iterator[bytes]:
    """Yields a file's bytes."""
    with open_regular(path) as file:
        yield from _chunks(file)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    at, size, number = 0, CHUNK_BYTES, file.fileno()
    while data := read_at(number, size, at):
        at += len(data)
        # Behind a short one mostly nothing comes: room for a whole one would be made for nothing.
        size = CHUNK_BYTES if len(data) >= size else PAGE_BYTES
        yield data


def line_blocks(file: BinaryIO, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> Iterator[bytes]:
    """Yields a file's lines, many in one piece; one that is over the limit is left out.

    The file is read, not mapped: if a mapped file is truncated, its reader is killed.
    """
    begun: list[bytes] = []
    size, leaving_out = 0, False
    for data in _chunks(file):
        end = data.rfind(b"\n") + 1
        if not end:
            size += len(data)
            begun.append(data)
            if leaving_out := leaving_out or size > max_line_bytes:
                begun = []
            continue
        start = data.find(b"\n") + 1 if leaving_out else 0
        yield b"".join((*begun, memoryview(data)[:end])) if begun else data[start:end]
        size, leaving_out = len(data) - end, False
        begun = [data[end:]] if size else []
    if begun:
        yield b"".join(begun)
