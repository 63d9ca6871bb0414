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
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO

from unbraid.errors import LogError
from unbraid.read.names import names_run
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file

# A session that is part of another run (an orchestrated agent's) is marked as recorded there. The
# mark can be deleted when no process would take the session for a new one any more.
RECORDED_MARK_KEPT_SECONDS = 30 * 86400

FOLDER = "leases"
# In a folder of their own, which is nearly always empty: it is looked at for every session.
STARTING_FOLDER = "starting"
HOLDERS_FOLDER = "holders"
HOLDER = "holder."
TAKING_OVER = "taking-over"
UNNAMED = "starting."
PART = "part."


class Leases(ABC):
    """The leases that one process holds on the runs of one log."""

    @abstractmethod
    async def acquire(self, name: str) -> bool:
        """Acquires the lease of a run or session. Returns False if another process holds it."""

    @abstractmethod
    async def release(self, name: str) -> None:
        """Releases a lease whose run has ended, or was never begun. Does nothing without a
        lease.
        """

    @abstractmethod
    def is_held(self, name: str) -> bool:
        """Returns whether a living process of this machine holds the lease of a run. Looking
        creates and changes nothing.
        """

    @abstractmethod
    def acquire_unnamed(self) -> str:
        """Acquires a lease for a session that is about to begin. Returns its temporary name."""

    @abstractmethod
    def another_is_starting(self) -> bool:
        """Returns whether another process has started an agent and does not know its
        session yet.
        """

    @abstractmethod
    def mark_part_of_other_run(self, name: str) -> None:
        """Marks a session as part of another run: it is not recorded as a run of its own, not even
        after this process has ended.
        """

    @abstractmethod
    def is_part_of_other_run(self, name: str) -> bool:
        """Returns whether a session was marked as part of another run."""

    @abstractmethod
    async def abandoned(self) -> list[str]:
        """Returns the names whose holders died or stopped before the end of their run."""

    async def dead(self) -> list[str]:
        """Returns those of the abandoned names whose holders died, on any machine; nothing if only
        this machine knows the leases.
        """
        return []

    @abstractmethod
    async def close(self, *, ended: bool) -> None:
        """Lets go of every lease. If their runs have `ended`, they are released; otherwise they
        count as abandoned, and the next process that looks continues them.
        """


def is_held(home: Path, name: str) -> bool:
    """Returns whether a living process holds the lease of a run. Looking creates and changes
    nothing.
    """
    if not names_run(name):
        return False
    return _is_locked(home / FOLDER / name)


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            # Shared: of two that look at the same time, neither takes the other for a holder.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class FileLeases(Leases):
    """Leases as files in a folder that all processes of a machine share.

    Each holder has one file of its own, locked for as long as it holds anything, and each of its
    leases is another name (a hard link) of that file. So a lease is held if its file is locked, and
    thousands of them need one descriptor. The system drops the lock of a process that dies: all its
    leases are abandoned at that moment.
    """

    def __init__(self, home: Path) -> None:
        self._folder, self._starting = home / FOLDER, home / STARTING_FOLDER
        self._holders = home / HOLDERS_FOLDER
        self._held: set[str] = set()
        self._own: tuple[Path, IO[bytes]] | None = None
        try:
            for folder in (self._folder, self._starting, self._holders):
                make_private_folder(folder)
        except OSError as error:
            raise LogError(f"{self._folder}: {error.strerror}") from error

    async def acquire(self, name: str) -> bool:
        return self._lock(name)

    def _lock(self, name: str) -> bool:
        if name in self._held:
            return True
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        path = self._path(name)
        try:
            own = self._own_file()
            while True:
                try:
                    os.link(own, path)
                except FileExistsError:
                    if _is_locked(path):
                        return False
                    if not self._take_over(own, path):
                        continue  # its holder has just released it
                self._held.add(name)
                return True
        except OSError as error:
            raise LogError(f"{path}: {error.strerror}") from error
        finally:
            self._close_if_idle()

    def _take_over(self, own: Path, path: Path) -> bool:
        """Replaces the lease of a process that died. Returns False if it is not there any more, or
        another process was faster: its state has to be looked at again.
        """
        # One process at a time: two could find the same lease abandoned, and the second would
        # replace what the first has just acquired.
        with (self._holders / TAKING_OVER).open("ab") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if not path.exists() or _is_locked(path):
                return False
            ours = own.with_name(f"{own.name}.{path.name}")
            os.link(own, ours)
            ours.replace(path)
            return True

    def _own_file(self) -> Path:
        while self._own is None:
            path = self._holders / f"{HOLDER}{secrets.token_hex(8)}"
            file = locked_file(path)
            # Another process may have unlinked it between the opening and the locking.
            if file is not None and os.fstat(file.fileno()).st_nlink:
                self._own = path, file
            elif file is not None:
                file.close()
        return self._own[0]

    def _close_if_idle(self) -> None:
        if self._own is not None and not self._held:
            path, file = self._own
            self._own = None
            with contextlib.suppress(OSError):
                path.unlink()
            file.close()

    async def release(self, name: str) -> None:
        self._unlock(name)

    def _unlock(self, name: str) -> None:
        if name in self._held:
            self._held.remove(name)
            with contextlib.suppress(OSError):
                self._path(name).unlink()
            self._close_if_idle()

    def _path(self, name: str) -> Path:
        return (self._starting if name.startswith(UNNAMED) else self._folder) / name

    def is_held(self, name: str) -> bool:
        return name in self._held or is_held(self._folder.parent, name)

    def acquire_unnamed(self) -> str:
        name = f"{UNNAMED}{secrets.token_hex(8)}"
        self._lock(name)
        return name

    def another_is_starting(self) -> bool:
        for path in self._starting.glob(f"{UNNAMED}*"):
            if path.name not in self._held:
                if not self._lock(path.name):
                    return True
                self._unlock(path.name)  # its owner died
        return False

    def mark_part_of_other_run(self, name: str) -> None:
        with contextlib.suppress(OSError):
            (self._folder / f"{PART}{name}").touch(mode=0o600)

    def is_part_of_other_run(self, name: str) -> bool:
        return names_run(name) and (self._folder / f"{PART}{name}").exists()

    async def abandoned(self) -> list[str]:
        """Returns the names of files that no process has locked. Old marks, and the files of
        holders that died, are deleted on the way.
        """
        for path in self._holders.glob(f"{HOLDER}*"):
            with contextlib.suppress(OSError), path.open("rb") as file:
                # Still locked when it is deleted: a holder that is just beginning makes another.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                path.unlink()
        found: list[str] = []
        for path in list(self._folder.iterdir()):
            name = path.name
            if name.startswith(PART):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < time.time() - RECORDED_MARK_KEPT_SECONDS:
                        path.unlink()
            elif names_run(name) and name not in self._held and not _is_locked(path):
                found.append(name)
        return found

    async def close(self, *, ended: bool) -> None:
        if ended:
            for name in list(self._held):
                self._unlock(name)
        self._held.clear()
        self._close_if_idle()
