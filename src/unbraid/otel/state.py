"""How far a log has been sent to a collector, and which runs are part of another program's trace.

Both are files in the data folder. One process at a time sends a log to a collector: it holds the
lock of that cursor.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from unbraid.errors import LogError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.traces import TraceParent

FOLDER = "otel"
PARENTS = "parents"


class _Sent(Struct):
    cursor: int


class SentCursor:
    """The cursor up to which one log has arrived at one collector."""

    def __init__(self, home: Path, log: str, collector: str) -> None:
        self._folder = home / FOLDER
        # A digest: addresses may have passwords in them.
        digest = sha256(f"{log}\n{collector}".encode()).hexdigest()[:32]
        self._path = self._folder / f"{digest}.json"
        self._lock: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Locks the cursor. Returns False if another process sends from it. Raises LogError."""
        if self._lock is not None:
            return True
        try:
            make_private_folder(self._folder)
            self._lock = locked_file(self._path.with_suffix(".lock"))
        except OSError as error:
            raise LogError(f"{self._folder}: {error.strerror}") from error
        return self._lock is not None

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock."""
        return self._lock is not None

    def release(self) -> None:
        """Unlocks the cursor."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def load(self) -> int | None:
        """Returns the cursor; None if nothing has ever been sent."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Sent).cursor
        except (OSError, msgspec.MsgspecError):
            return None

    def store(self, cursor: int) -> None:
        """Stores the cursor. Raises LogError."""
        # It is stored with every batch: to wait for the disk would hold up what is being sent.
        _write(self._path, msgspec.json.encode(_Sent(cursor)), durable=False)


class TraceParents:
    """The spans of others that runs are part of, so that a later process sends such a run to the
    same trace.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER / PARENTS

    def get(self, run: str) -> TraceParent | None:
        """Returns the parent of a run."""
        try:
            return TraceParent.parse(self._path(run).read_text("ascii"))
        except (OSError, ValueError):
            return None

    def put(self, run: str, parent: TraceParent) -> None:
        """Stores the parent of a run; one that is stored already stays. Raises LogError."""
        if self.get(run) is None:
            _write(self._path(run), str(parent).encode())

    def _path(self, run: str) -> Path:
        return self._folder / sha256(run.encode()).hexdigest()[:32]


def _write(path: Path, data: bytes, *, durable: bool = True) -> None:
    try:
        write_atomically(path, data, durable=durable, private_folder=True)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error
