"""Which processes are alive, as Linux reports it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from unbraid.system.clock import now_ms

PROCESSES = Path("/proc")
_START_FIELD = 19  # of `stat`, counted from behind the name, which may hold anything


def start_of(pid: int) -> str | None:
    """Returns when a process was started, in the system's own count, which distinguishes it from a
    later one with the same number. None if it is not alive; empty where the system does not say.
    """
    try:
        stat = (PROCESSES / str(pid) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        # Not every system has such a folder: there, nothing is known about processes.
        return None if (PROCESSES / "self").exists() else ""
    except OSError:
        return ""
    fields = stat.rpartition(b")")[2].split()
    if fields[:1] == [b"Z"]:
        return None  # a zombie: its parent has not waited for it
    return fields[_START_FIELD].decode()


def own_start_ms() -> int:
    """Returns when this process was started, in milliseconds since 1970; now, where the system does
    not say.
    """
    ticks = start_of(os.getpid())
    if not ticks:
        return now_ms()
    started = int(ticks) / os.sysconf("SC_CLK_TCK")
    return now_ms() - max(0, round((time.clock_gettime(time.CLOCK_BOOTTIME) - started) * 1000))
