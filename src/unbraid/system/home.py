"""Where unbraid keeps its files: `UNBRAID_HOME`, or the platform's folder for a program's data."""

from __future__ import annotations

import errno
import getpass
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

# The user who runs this program.


def user_name() -> str:
    """Returns the name of the user, as the system knows it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"


LOG_FILE_NAME = "log.db"


def data_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Returns the folder of everything that unbraid keeps."""
    if home := environ.get("UNBRAID_HOME"):
        return Path(home)
    user = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or user / "AppData" / "Local") / "unbraid"
    if platform == "darwin":
        return user / "Library" / "Application Support" / "unbraid"
    share = environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a path that is not absolute is to be ignored.
    return (Path(share) if share.startswith("/") else user / ".local" / "share") / "unbraid"


# What shows that a folder is one of ours, and nothing but ours.
_OURS = ("log.db", "leases", "tokens.json", "index.bin")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private_folder(folder: Path) -> None:
    """Makes a folder, with those above it that are missing, which no other user can enter. Raises
    OSError.
    """
    # `mkdir(parents=True)` would give its mode to the last of them only.
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=stat.S_IRWXU, exist_ok=True)


def mend_folder(folder: Path) -> str | None:
    """Makes our data folder private if other users can enter it: it has agents' words, tokens and
    sockets. Returns a message that says so; None if nothing was changed.

    A folder that has something else in it is left alone: it may be shared by several users. So is
    one with files of others: they may have put tokens there that let them in.
    """
    if open_to_others(folder) is None or folder.stat().st_uid != os.geteuid():
        return None
    names = {path.name for path in folder.iterdir()}
    if (names and names.isdisjoint(_OURS)) or any(map(_is_others, folder.rglob("*"))):
        return None
    folder.chmod(stat.S_IRWXU)
    return f"other users could read {folder}: its permissions have been corrected"


def _is_others(path: Path) -> bool:
    owners = {os.geteuid()}
    # It may be gone by now, or be a link to something that is.
    with suppress(OSError):
        owners.add(path.lstat().st_uid)
        owners.add(path.stat().st_uid)
    return len(owners) > 1


def read_trusted(path: Path) -> bytes:
    """Returns the content of a file that says who is trusted. Raises OSError, also if its owner is
    neither this user, root nor the owner of its folder: another user could otherwise put a token
    there and get access.
    """
    with path.open("rb") as file:
        owner = os.fstat(file.fileno()).st_uid
        if os.name == "posix" and owner not in (os.geteuid(), 0, path.parent.stat().st_uid):
            raise PermissionError(errno.EPERM, "the file belongs to another user")
        return file.read()


def open_to_others(folder: Path) -> str | None:
    """Returns why a folder is not private, and what to do about it; None if it is, or is not
    there.
    """
    if os.name != "posix" or not folder.is_dir():
        return None
    status = folder.stat()
    if status.st_uid != os.geteuid() and os.geteuid() != 0:
        return "the folder belongs to another user: set UNBRAID_HOME to a folder of your own"
    if status.st_mode & _OTHERS:
        return "other users can read the folder: run `chmod 700` on it, or set UNBRAID_HOME"
    return None
