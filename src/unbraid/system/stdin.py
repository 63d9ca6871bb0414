"""What comes in on our own standard input."""

from __future__ import annotations

import os
import stat


def nobody_writes() -> bool:
    """Returns whether stdin has no data for a program: it is a terminal, /dev/null or closed."""
    try:
        return stat.S_ISCHR(os.fstat(0).st_mode)
    except OSError:
        return True
