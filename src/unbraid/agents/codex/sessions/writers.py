"""Which sessions a process of Codex writes, as Linux reports it: a thread's file stays open while
its process lives.

From 0.166 on, terminals share one server in the background, which outlives them and keeps the files
open. A session in it is live while an agent of it is at work, or while a terminal is there that may
be its own: one that was started in the same folder, or that was asked for some other session.

If no process was ever seen with the file open (another system, a container beside a shared folder,
a process that was gone before the first look), only the file's content shows that the session is
over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from unbraid.agents.codex.places import codex_home
from unbraid.agents.codex.sessions.rollout_file import ends_turn, thread_of_name
from unbraid.agents.codex.sessions.thread_tree import RolloutFile
from unbraid.agents.session_port import SessionState
from unbraid.fold.status import PROMPT, WaitingFor
from unbraid.system.files import modified_ms
from unbraid.system.liveness import PROCESSES

_SERVER = "app-server"
# What a terminal may be started with to show a session of another folder.
_ELSEWHERE = frozenset(("resume", "fork", "agents", "-C", "--cd", "--remote"))


class CodexTerminal(Struct):
    """A process without a rollout of its own: the face of a session in the shared server."""

    cwd: str
    arguments: list[str]
    home: Path  # where its sessions are

    def may_show(self, tree: WatchedTree) -> bool:
        """Returns whether it may be of this session."""
        if tree.path is None or not tree.path.is_relative_to(self.home):
            return False
        return tree.cwd in (None, self.cwd) or not _ELSEWHERE.isdisjoint(self.arguments)


class OpenRollouts(Struct):
    """The threads whose files are open: in a process of their own, or in the shared server. Not
    `is_complete` if there may be processes that cannot be asked.
    """

    own: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    terminals: list[CodexTerminal] = field(default_factory=list)
    is_complete: bool = True

    def state(self, tree: WatchedTree) -> SessionState | None:
        """Returns what the process of a session does, or that there is none; None if that is not
        known.
        """
        if not self.has(tree):
            return SessionState(alive=False) if self.is_complete else None
        opened = (self.own | self.shared).intersection(tree.threads)
        if not all(tree.threads[thread]() for thread in opened):
            return SessionState(alive=True)
        return SessionState(alive=True, waiting=WaitingFor(PROMPT, tree.written_ms()))

    def has(self, tree: WatchedTree) -> bool:
        """Returns whether a session is live: in a process of its own, or in the shared server, if
        an agent works or a terminal may show it.
        """
        if not self.own.isdisjoint(tree.threads):
            return True
        shared = self.shared.intersection(tree.threads)
        if not shared:
            return False
        has_terminal = any(each.may_show(tree) for each in self.terminals)
        return has_terminal or not all(tree.threads[thread]() for thread in shared)


class WatchedTree(Struct):
    """The threads of a session, each with whether its last turn is over; the main agent's file, and
    the folder that it works in.
    """

    threads: Mapping[str, Callable[[], bool]]
    path: Path | None = None
    cwd: str | None = None

    def written_ms(self) -> int:
        """Returns when the main agent's file was last written, in milliseconds since 1970."""
        return 0 if self.path is None else modified_ms(self.path)


def watched_tree(files: Sequence[RolloutFile]) -> WatchedTree:
    """Returns the threads of a session, of their files, the main agent's first."""
    threads = {
        thread: partial(ends_turn, file.path)
        for file in files
        if (thread := thread_of_name(file.path.name)) is not None
    }
    if not files:
        return WatchedTree(threads)
    return WatchedTree(threads, files[0].path, files[0].head.cwd)


class RolloutWriters:
    """Which processes have which rollouts open, from look to look."""

    def __init__(self) -> None:
        self._open: set[str] = set()  # threads that were seen open
        self._missed: set[str] = set()
        # Sessions are followed, and looked after, in several threads.
        self._looking = threading.Lock()

    def look(self) -> None:
        """Notes which files are open now."""
        now = open_rollouts()
        with self._looking:
            self._open |= now.own | now.shared

    def ended(self, trees: Mapping[str, WatchedTree], says_so: Callable[[str], bool]) -> set[str]:
        """Returns those sessions whose files were open, or that say that they are over, and that no
        process had open in two looks; each once.
        """
        now = open_rollouts()
        with self._looking:
            return self._ended(now, trees, says_so)

    def _ended(
        self,
        now: OpenRollouts,
        trees: Mapping[str, WatchedTree],
        says_so: Callable[[str], bool],
    ) -> set[str]:
        gone = set()
        for session, tree in trees.items():
            was_open = not self._open.isdisjoint(tree.threads)
            if now.has(tree) or not (was_open or says_so(session)):
                self._missed.discard(session)
            elif session in self._missed:
                gone.add(session)
                self._missed.discard(session)
                self._open -= set(tree.threads)
            else:
                self._missed.add(session)
        self._open |= now.own | now.shared
        return gone


def open_rollouts() -> OpenRollouts:
    """Returns whose files the processes of Codex have open."""
    found = OpenRollouts()
    try:
        processes = [entry for entry in PROCESSES.iterdir() if entry.name.isdecimal()]
    except OSError:
        found.is_complete = False
        return found
    for folder in processes:
        try:
            if not (folder / "comm").read_bytes().startswith(b"codex"):
                continue
            threads = set(_threads((folder / "fd").iterdir()))
            arguments = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            if _SERVER not in arguments and not threads:
                cwd = str((folder / "cwd").readlink())
                home = codex_home(_environment(folder))
                found.terminals.append(CodexTerminal(cwd, arguments, home))
            elif _SERVER in arguments and "--listen" in arguments:
                found.shared |= threads
            else:
                found.own |= threads
        except PermissionError:
            found.is_complete = False  # another person's
        except OSError:
            continue
    return found


def _environment(folder: Path) -> dict[str, str]:
    given = (folder / "environ").read_bytes().decode("utf-8", "surrogateescape").split("\0")
    return dict(each.split("=", 1) for each in given if "=" in each)


def _threads(descriptors: Iterable[Path]) -> Iterable[str]:
    for descriptor in descriptors:
        try:
            thread = thread_of_name(descriptor.readlink().name)
        except OSError:
            continue  # closed meanwhile
        if thread is not None:
            yield thread
