"""The user who runs this program."""

from __future__ import annotations

import getpass


def user_name() -> str:
    """Returns the name of the user, as the system knows it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"
