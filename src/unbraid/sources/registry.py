"""Claude Code's own list of its processes: `sessions/<pid>.json`, beside `projects`.

A process takes its entry away when it ends, however it was asked to. One that was killed leaves it
behind, and only that is judged here: an entry tells the machine and the process namespace that its
number belongs to, and in any other (a container's, another host's) it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.sources.places import claude_projects

FOLDER = "sessions"
_START_FIELD = 19  # of /proc/<pid>/stat, counted from behind the name, which may hold anything


class _Entry(Struct, rename="camel"):
    pid: int
    session_id: str
    pid_domain: str | None = None
    proc_start: str | None = None


_decode = msgspec.json.Decoder(_Entry).decode


def killed(env: Mapping[str, str]) -> set[str]:
    """The sessions whose processes are gone without a word."""
    here = _domain()
    dead: set[str] = set()
    others: set[str] = set()
    for projects in claude_projects(env):
        for path in projects.with_name(FOLDER).glob("*.json"):
            try:
                entry = _decode(path.read_bytes())
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
                continue
            gone = here is not None and entry.pid_domain == here and not _lives(entry)
            (dead if gone else others).add(entry.session_id)
    # A session that was resumed has an entry of each process.
    return dead - others


def _domain() -> str | None:
    """What numbers of processes mean here, in Claude Code's words; None where that is not told."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
        return f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return None


def _lives(entry: _Entry) -> bool:
    try:
        stat = Path(f"/proc/{entry.pid}/stat").read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    fields = stat.rpartition(b")")[2].split()
    if fields[:1] == [b"Z"]:
        return False  # killed, and nobody has asked what became of it
    # Another process may have the number by now.
    return entry.proc_start is None or fields[_START_FIELD].decode() == entry.proc_start
