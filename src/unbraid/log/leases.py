"""Leases: which process writes which run.

`unbraid run` and a `watch` beside it see the same session. The process that holds its lease writes
it; the other waits, and takes over when the holder is gone, `kill -9` or not. A process that has
started an agent but does not know its session yet holds an unnamed lease: until that is released,
no other process acquires a session that is new. A lease that exists but has no holder belongs to a
run that was not ended. A session that is part of another run (an orchestrated agent's) is marked,
so that no process records it as a run of its own.

On a log that many machines share, leases are known to all of them. Agents that are about to begin,
and sessions that are parts of other runs, concern only the machine that has their files.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import time
from pathlib import Path
from typing import IO, Protocol

from unbraid.errors import LogError
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.timings import RECORDED_MARK_KEPT_SECONDS
from unbraid.wire.names import names_run

FOLDER = "leases"
# In a folder of their own, which is nearly always empty: it is looked at for every session.
STARTING_FOLDER = "starting"
UNNAMED = "starting."
PART = "part."


class Leases(Protocol):
    """The leases that one process holds on the runs of one log."""

    async def acquire(self, name: str) -> bool:
        """Acquires the lease of a run or session. Returns False if another process holds it."""
        ...

    async def release(self, name: str) -> None:
        """Releases a lease whose run has ended, or was never begun. Does nothing without a
        lease.
        """
        ...

    def is_held(self, name: str) -> bool:
        """Returns whether a living process of this machine holds the lease of a run. Looking
        creates and changes nothing.
        """
        ...

    def acquire_unnamed(self) -> str:
        """Acquires a lease for a session that is about to begin. Returns its temporary name."""
        ...

    def another_is_starting(self) -> bool:
        """Returns whether another process has started an agent and does not know its
        session yet.
        """
        ...

    def mark_part_of_other_run(self, name: str) -> None:
        """Marks a session as part of another run: it is not recorded as a run of its own, not even
        after this process has ended.
        """
        ...

    def is_part_of_other_run(self, name: str) -> bool:
        """Returns whether a session was marked as part of another run."""
        ...

    async def abandoned(self) -> list[str]:
        """Returns the names whose holders died or stopped before the end of their run."""
        ...

    async def close(self, *, ended: bool) -> None:
        """Lets go of every lease. If their runs have `ended`, they are released; otherwise they
        count as abandoned, and the next process that looks continues them.
        """
        ...


class SharedLeases(Leases, Protocol):
    """Leases that several machines know."""

    async def dead(self) -> list[str]:
        """Returns the names whose holders died: those that stopped in good order are not among
        them, though their runs are abandoned, too.
        """
        ...


def is_held(home: Path, name: str) -> bool:
    """Returns whether a living process holds the lease of a run. Looking creates and changes
    nothing.
    """
    if not names_run(name):
        return False
    try:
        with (home / FOLDER / name).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class FileLeases:
    """Leases as locked files in a folder that all processes of a machine share. The system drops
    the lock of a process that dies.
    """

    def __init__(self, home: Path) -> None:
        self._folder, self._starting = home / FOLDER, home / STARTING_FOLDER
        self._held: dict[str, IO[bytes]] = {}
        try:
            make_private_folder(self._folder)
            make_private_folder(self._starting)
        except OSError as error:
            raise LogError(f"{self._folder}: {error.strerror}") from error

    async def acquire(self, name: str) -> bool:
        """Locks the file of a run. Returns False if another process has it locked."""
        return self._lock(name)

    def _lock(self, name: str) -> bool:
        if name in self._held:
            return True
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        path = self._path(name)
        while True:
            try:
                file = locked_file(path)
            except OSError as error:
                raise LogError(f"{path}: {error.strerror}") from error
            if file is None:
                return False
            # The file may have been unlinked between the opening and the locking.
            if path.exists() and os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                self._held[name] = file
                return True
            file.close()

    async def release(self, name: str) -> None:
        """Deletes the file of a run, and unlocks it."""
        self._unlock(name)

    def _unlock(self, name: str) -> None:
        file = self._held.pop(name, None)
        if file is not None:
            # Before the unlocking: afterwards it could be another process's lease.
            with contextlib.suppress(OSError):
                self._path(name).unlink()
            file.close()

    def _path(self, name: str) -> Path:
        return (self._starting if name.startswith(UNNAMED) else self._folder) / name

    def is_held(self, name: str) -> bool:
        """Returns whether a process has the file of a run locked."""
        return is_held(self._folder.parent, name)

    def acquire_unnamed(self) -> str:
        """Locks a file with a random name, and returns the name."""
        name = f"{UNNAMED}{secrets.token_hex(8)}"
        self._lock(name)
        return name

    def another_is_starting(self) -> bool:
        """Returns whether a file of a session without a name is locked by another process."""
        for path in self._starting.glob(f"{UNNAMED}*"):
            if path.name not in self._held:
                if not self._lock(path.name):
                    return True
                self._unlock(path.name)  # its owner died
        return False

    def mark_part_of_other_run(self, name: str) -> None:
        """Leaves a file that marks the session."""
        with contextlib.suppress(OSError):
            (self._folder / f"{PART}{name}").touch(mode=0o600)

    def is_part_of_other_run(self, name: str) -> bool:
        """Returns whether there is a file that says so."""
        return names_run(name) and (self._folder / f"{PART}{name}").exists()

    async def abandoned(self) -> list[str]:
        """Returns the names of files that no process has locked. Old marks are deleted on the
        way.
        """
        found: list[str] = []
        for path in list(self._folder.iterdir()):
            name = path.name
            if name.startswith(PART):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < time.time() - RECORDED_MARK_KEPT_SECONDS:
                        path.unlink()
            elif name not in self._held and self._lock(name):
                self._held.pop(name).close()
                found.append(name)
        return found

    async def close(self, *, ended: bool) -> None:
        """Unlocks every file; with `ended`, deletes them, too."""
        for name in list(self._held):
            if ended:
                self._unlock(name)
            else:
                self._held.pop(name).close()
