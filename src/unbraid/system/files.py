"""Files that others write, read safely.

An agent can put anything where we expect a file: a FIFO, at which whoever opens it waits for a
writer for ever; a folder; a device. So what is opened is looked at before it is read, on the
descriptor, because the name may stand for something else a moment later.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

CHUNK_BYTES = 1 << 20
# What stands beside a transcript is a few hundred bytes.
SMALL_FILE_BYTES = 1 << 20


def open_regular(path: Path | str) -> BinaryIO:
    """Open a file for reading, unbuffered. Raises OSError, also if it is no regular file."""
    # Without O_NONBLOCK the opening of a FIFO itself would wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return os.fdopen(descriptor, "rb", buffering=0)


def read_small(path: Path | str) -> bytes:
    """The bytes of a file that should be small; of a larger one, its first part."""
    with open_regular(path) as file:
        return os.pread(file.fileno(), SMALL_FILE_BYTES, 0)


def chunks(path: Path) -> Iterator[bytes]:
    """A file's bytes."""
    with open_regular(path) as file:
        while data := file.read(CHUNK_BYTES):
            yield data
