"""What comes in on our own standard input."""

from __future__ import annotations

import os
import stat


def nobody_writes() -> bool:
    """Returns whether nothing that a program would read comes in on stdin: a terminal, or the
    void.
    """
    try:
        return stat.S_ISCHR(os.fstat(0).st_mode)
    except OSError:
        return True
