"""All of Codex's sessions, watched: what changes in their rollouts, and which process writes them,
as Linux reports it. A thread's file stays open while its process lives.

From 0.166 on, terminals share one server in the background, which outlives them and keeps the files
open. A session in it is live while an agent of it is at work, or while a terminal is there that may
be its own: one that was started in the same folder, or that was asked for some other session.

If no process was ever seen with the file open (another system, a container beside a shared folder,
a process that was gone before the first look), only the file's content shows that the session is
over.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec import Struct, field

from unbraid.agents.codex.rollouts import RolloutFolders, codex_home, ends_turn, thread_of_name
from unbraid.agents.file_watch import FileWatch, Follow
from unbraid.agents.files import Files, FilesFollower
from unbraid.agents.port import Recorded, SessionState, WatchOptions
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

    def may_show(self, path: Path, cwd: str | None) -> bool:
        """Returns whether it may be of the session with this file, in this folder."""
        if not path.is_relative_to(self.home):
            return False
        return cwd in (None, self.cwd) or not _ELSEWHERE.isdisjoint(self.arguments)


class OpenRollouts(Struct):
    """The threads whose files are open: in a process of their own, or in the shared server. Not
    `is_complete` if there may be processes that cannot be asked.
    """

    own: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    terminals: list[CodexTerminal] = field(default_factory=list)
    is_complete: bool = True

    def state(self, folders: RolloutFolders, tree: Files) -> SessionState | None:
        """Returns what the process of a session does, or that there is none; None if that is not
        known.
        """
        if not self.has(folders, tree):
            return SessionState(alive=False) if self.is_complete else None
        opened = (self.own | self.shared).intersection(tree)
        if not all(ends_turn(tree[thread]) for thread in opened):
            return SessionState(alive=True)
        main = next(iter(tree.values()))
        return SessionState(alive=True, waiting=WaitingFor(PROMPT, modified_ms(main)))

    def has(self, folders: RolloutFolders, tree: Files) -> bool:
        """Returns whether a session is live: in a process of its own, or in the shared server, if
        an agent works or a terminal may show it.
        """
        if not self.own.isdisjoint(tree):
            return True
        shared = self.shared.intersection(tree)
        if not shared:
            return False
        main = next(iter(tree.values()))
        head = folders.head(main)
        cwd = None if head is None else head.cwd
        has_terminal = any(each.may_show(main, cwd) for each in self.terminals)
        return has_terminal or not all(ends_turn(tree[thread]) for thread in shared)


class RolloutWatch(FileWatch):
    """Codex's `SessionWatch`."""

    def __init__(self, folders: RolloutFolders, follow: Follow, options: WatchOptions) -> None:
        super().__init__(folders, follow, options)
        self._folders = folders
        self._open: set[str] = set()  # threads that were seen open
        self._missed: set[str] = set()  # sessions that nobody had open when this was last asked
        # Sessions are followed, and looked after, in several threads.
        self._asking = threading.Lock()

    def follow(self, session_id: str, recorded: Recorded) -> FilesFollower | None:
        """Returns a follower that reads its rollouts from where the log stands."""
        if (found := super().follow(session_id, recorded)) is not None:
            now = open_rollouts()
            with self._asking:
                self._open |= now.own | now.shared
        return found

    def states(self, among: Collection[str]) -> dict[str, SessionState]:
        """Returns as gone those whose files were open, or that say that they are over, and that no
        process had open in two looks, or only the shared server, in which no agent works and no
        terminal may show it; each once.
        """
        files = dict(self.paths)
        trees = {name: self._folders.tree(name, files) for name in among}
        now = open_rollouts()
        gone = set()
        with self._asking:
            for session, tree in trees.items():
                was_open = not self._open.isdisjoint(tree)
                if now.has(self._folders, tree) or not (was_open or self._says_it_is_over(tree)):
                    self._missed.discard(session)
                elif session in self._missed:
                    gone.add(session)
                    self._missed.discard(session)
                    self._open -= set(tree)
                else:
                    self._missed.add(session)
            self._open |= now.own | now.shared
        return dict.fromkeys(gone, SessionState(alive=False))

    def _says_it_is_over(self, tree: Files) -> bool:
        """Returns whether this was `codex exec`, which ends with its turn, and the turn is over."""
        path = next(iter(tree.values()), None)
        head = None if path is None else self._folders.head(path)
        return path is not None and head is not None and head.source == "exec" and ends_turn(path)


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
