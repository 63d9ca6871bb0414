"""Who writes which run: one process each, by a lock that dies with it.

`unbraid run` and a `watch` beside it see the same session. Whoever holds its claim writes it; the
other leaves it alone, and takes it over when the holder is gone, `kill -9` or not. A process that
has started an agent but does not know its session yet holds an unnamed claim: until that is named
or gone, nobody else takes a session that is new. A claim that nobody holds any more is a run that
nobody has ended. A session that is part of another run (an orchestrated agent's) is marked as told.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import time
from pathlib import Path
from typing import IO

from unbraid.errors import LogError
from unbraid.wire.names import names_run

FOLDER = "claims"
UNNAMED = "starting."
TOLD = "told."
TOLD_SECONDS = 30 * 86400


def is_held(home: Path, name: str) -> bool:
    """Whether a process that lives has the claim of a run; nothing is made or changed to see it."""
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


class Leases:
    """The claims of this process, in a folder that all share."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._held: dict[str, IO[bytes]] = {}
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LogError(f"{self._folder}: {error.strerror}") from error

    def take(self, name: str) -> bool:
        """Claim a run; False if another process has it."""
        if name in self._held:
            return True
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        path = self._folder / name
        while True:
            try:
                file = path.open("ab")
            except OSError as error:
                raise LogError(f"{path}: {error.strerror}") from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                return False
            # The file may have been unlinked between the opening and the locking.
            if path.exists() and os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                self._held[name] = file
                return True
            file.close()

    def leave(self, name: str) -> None:
        """Let go of a claim."""
        file = self._held.pop(name, None)
        if file is not None:
            with contextlib.suppress(OSError):
                (self._folder / name).unlink()
            file.close()

    def tell(self, name: str) -> None:
        """A session of ours is part of another run: nobody is to tell it as a run of its own, even
        when it is over, and its CLI has kept it.
        """
        with contextlib.suppress(OSError):
            (self._folder / f"{TOLD}{name}").touch(mode=0o600)

    def told(self, name: str) -> bool:
        """Whether a session is part of another run."""
        return names_run(name) and (self._folder / f"{TOLD}{name}").exists()

    def start(self) -> str:
        """Claim the session that is about to begin, without a name yet."""
        name = f"{UNNAMED}{secrets.token_hex(8)}"
        self.take(name)
        return name

    def someone_starts(self) -> bool:
        """Whether another process has started an agent and does not know its session yet."""
        for path in self._folder.glob(f"{UNNAMED}*"):
            if path.name not in self._held:
                if not self.take(path.name):
                    return True
                self.leave(path.name)  # its owner died
        return False

    def abandoned(self) -> list[str]:
        """The runs that were let go of without an end; their holders died, or stopped."""
        found: list[str] = []
        for path in list(self._folder.iterdir()):
            name = path.name
            if name.startswith(TOLD):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < time.time() - TOLD_SECONDS:
                        path.unlink()
            elif name not in self._held and not name.startswith(UNNAMED) and self.take(name):
                self._held.pop(name).close()
                found.append(name)
        return found

    def close(self, *, ended: bool = True) -> None:
        """Let go of everything; unless all has `ended`, the next to look will know."""
        for name in list(self._held):
            if ended:
                self.leave(name)
            else:
                self._held.pop(name).close()
