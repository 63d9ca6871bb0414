"""Claude Code's own list of its processes: `sessions/<pid>.json`, beside `projects`.

A process removes its entry when it ends, however it was asked to. A process that was killed leaves
its entry behind. An entry names the machine and the process namespace that its number belongs to;
in any other (a container's, another host's) a number says nothing. If an entry names no machine,
its process counts as dead only if it was seen alive here before.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from unbraid.agents.claude.sessions.beginnings import opening_of_file
from unbraid.agents.claude.sessions.layout import claude_configs
from unbraid.agents.claude.transcript import (
    ProcessEntry,
    PublishedState,
    process_entry,
    state_line,
)
from unbraid.agents.port import SessionState
from unbraid.fold.status import PERMISSION, PROMPT, WaitingFor
from unbraid.read.record import BAD_JSON
from unbraid.system.files import open_regular, read_small
from unbraid.system.liveness import start_of

# A process that continues a session may write moments before it is on its kind's list.
LAST_LINES_GRACE_SECONDS = 2.0

FOLDER = "sessions"
# The first version that is known to keep the list.
FIRST_LISTING = [2, 1, 112]
IDLE, ASKING = "idle", "waiting"
ACCOUNT = b'{"type":"cost-state"'
# No account is longer: it has some numbers per model.
LAST_LINE_BYTES = 1 << 16


class Processes:
    """Claude Code's processes on this machine, look by look."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._living: set[str] = set()
        self._missed: set[str] = set()
        self._reported: set[str] = set()
        self.entries: dict[str, ProcessEntry] = {}  # by session: those that live, at the last look
        self._seen_here: set[tuple[int, str]] = set()  # though they do not say where
        # Looks run in several threads. `entries` is replaced, never changed: anyone may read it.
        self._reading = threading.Lock()

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those of some sessions whose processes are gone, each once: they were killed, or
        have ended by themselves since a look before this one. `among` is looked at if there are
        any.
        """
        with self._reading:
            dead, living = self._read()
            # An entry may be missing for the moment in which it is written again: two looks are
            # needed.
            missing = self._living - dead - living
            over = missing & self._missed
            self._missed = missing - over
            self._living = living | self._missed
            # A process that was killed stays on the list; and one that continues its session may be
            # of a version that has none.
            gone = dead - self._reported | over
            if gone:
                gone = gone.intersection(among)
            self._reported = (self._reported | gone) & dead
            return gone

    def states(self) -> dict[str, SessionState]:
        """Returns the states of the sessions that are on the list."""
        with self._reading:
            dead, _ = self._read()
        return dict.fromkeys(dead, SessionState(alive=False)) | self.living()

    def living(self) -> dict[str, SessionState]:
        """Returns the states of the sessions of processes that lived at the last look."""
        return {session: _state(entry) for session, entry in self.entries.items()}

    def published_line(self, session_id: str) -> bytes:
        """Returns what the process of a session says of it as one line for the translator; nothing
        if it says nothing.
        """
        entry = self.entries.get(session_id)
        if entry is None or entry.status is None:
            return b""
        published = PublishedState(entry.status, entry.waiting_for)
        return state_line(session_id, published, entry.status_since)

    def keep_a_list(self) -> bool:
        """Returns whether any process has ever had an entry here."""
        return any(path.is_dir() for path in self._folders())

    def refresh(self) -> None:
        """Reads which processes live now: of some that are gone later, nothing else shows that they
        lived.
        """
        with self._reading:
            self._living |= self._read()[1]

    def _read(self) -> tuple[set[str], set[str]]:
        here = pid_domain()
        dead: set[str] = set()
        living: dict[str, ProcessEntry] = {}
        for folder in self._folders():
            for path in folder.glob("*.json"):
                try:
                    entry = process_entry(read_small(path))
                except (OSError, *BAD_JSON):
                    continue
                gone = here is not None and self._is_of(here, entry) and not _lives(entry)
                if gone:
                    dead.add(entry.session_id)
                else:
                    before = living.get(entry.session_id, entry)
                    latest = max(before, entry, key=lambda each: each.status_since)
                    living[entry.session_id] = latest
        self.entries = living
        # A session that was resumed has an entry of each process.
        return dead - living.keys(), set(living)

    def _folders(self) -> list[Path]:
        return [config / FOLDER for config in claude_configs(self._env)]

    def _is_of(self, here: str, entry: ProcessEntry) -> bool:
        """Returns whether the process number of an entry is valid on this machine."""
        if entry.pid_domain is not None:
            return entry.pid_domain == here
        if entry.proc_start is None:
            return False
        # Before 2.1.260, no entry names its machine: a process with the same number and start time
        # is it.
        if start_of(entry.pid) == entry.proc_start:
            self._seen_here.add((entry.pid, entry.proc_start))
        return (entry.pid, entry.proc_start) in self._seen_here


def process_folder(main: Path) -> str | None:
    """Returns the folder in which a process of a session works, by its own note; None if no note
    names it. Where a transcript says nothing yet, this does.
    """
    for path in main.parent.parent.with_name(FOLDER).glob("*.json"):
        try:
            entry = process_entry(read_small(path))
        except (OSError, *BAD_JSON):
            continue
        if entry.session_id == main.stem and entry.cwd is not None:
            return entry.cwd
    return None


def is_left(main: Path, processes: Processes) -> bool:
    """Returns whether an unlisted session has no process: a list is kept here, and the session's
    version enters its processes there.
    """
    return processes.keep_a_list() and is_at_rest(main) and bool(lists_itself(main))


def is_at_rest(main: Path) -> bool:
    """Returns whether a transcript was not written to for longer than its last lines may take, or
    ends with the account that a process writes last.
    """
    try:
        if abs(time.time() - main.stat().st_mtime) >= LAST_LINES_GRACE_SECONDS:
            return True
        with open_regular(main) as file:
            at = max(os.fstat(file.fileno()).st_size - LAST_LINE_BYTES, 0)
            last = os.pread(file.fileno(), LAST_LINE_BYTES, at).rstrip().rpartition(b"\n")[2]
    except OSError:
        return False
    return last.startswith(ACCOUNT)


def lists_itself(main: Path) -> bool | None:
    """Returns whether the version of a session puts its processes on a list; None if no line says
    which version it is.
    """
    version = opening_of_file(main).version
    if version is None:
        return None
    return [int(part) for part in version.split(".") if part.isdecimal()] >= FIRST_LISTING


def _state(entry: ProcessEntry) -> SessionState:
    since = entry.status_since
    if entry.status == IDLE:
        return SessionState(alive=True, waiting=WaitingFor(PROMPT, since))
    if entry.status == ASKING:
        return SessionState(alive=True, waiting=WaitingFor(PERMISSION, since))
    # Before 2.1.197 an entry says no more than that there is a process.
    return SessionState(alive=True, is_precise=entry.status is not None, since=since)


@cache
def pid_domain() -> str | None:
    """Returns what numbers of processes mean here, in Claude Code's words; None where that is not
    known.
    """
    try:
        machine = Path("/etc/machine-id").read_text().strip()
        return f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return None


def _lives(entry: ProcessEntry) -> bool:
    start = start_of(entry.pid)
    if start is None:
        return False
    # Another process may have the number by now.
    return not start or entry.proc_start in (None, start)
