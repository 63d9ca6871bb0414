"""Which alerts were sent, for all processes of ours and after a restart: one small file each."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from unbraid.system.home import make_private_folder
from unbraid.timings import ALERT_MARK_KEPT_SECONDS

FOLDER = "alerts"


class SentMarks:
    """Marks in a folder. Where it cannot be written, every process decides for itself."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def take(self, name: str) -> bool:
        """Marks an alert as sent. Returns False if it was before, by whomever."""
        path = self._path(name)
        try:
            make_private_folder(self._folder)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        except OSError:
            return True
        return True

    def has(self, name: str) -> bool:
        """Returns whether an alert is marked as sent."""
        return self._path(name).exists()

    def prune(self) -> None:
        """Removes marks of occurrences that are too old to be sent."""
        oldest = time.time() - ALERT_MARK_KEPT_SECONDS
        with suppress(OSError):
            for path in self._folder.iterdir():
                with suppress(OSError):
                    if path.stat().st_mtime < oldest:
                        path.unlink()

    def _path(self, name: str) -> Path:
        return self._folder / blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
