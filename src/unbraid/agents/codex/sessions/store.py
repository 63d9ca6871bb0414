"""Codex's sessions on this machine, by their rollouts: one file a thread.

Most commands need one part of this: each is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from unbraid.agents.codex.places import SESSION_ID, codex_folders
from unbraid.agents.session_port import (
    Recorded,
    SessionState,
    SessionStore,
    StoredBlock,
    StoredSession,
    files_version,
    translate_run,
)
from unbraid.system.files import modified_ms

if TYPE_CHECKING:
    from unbraid.agents.codex.sessions.follower import RolloutFollower
    from unbraid.agents.codex.sessions.thread_tree import RolloutFile, RolloutFolders
    from unbraid.agents.codex.sessions.watch import RolloutWatch
    from unbraid.read.tracks import RunTracks


class CodexSessions(SessionStore):
    """Codex's `SessionStore`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id is one of a thread."""
        return SESSION_ID.fullmatch(name) is not None

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of threads that begin like this, children's too."""
        return (thread for thread in self._folders().files() if thread.startswith(prefix))

    def root(self, session_id: str) -> str | None:
        """Returns the thread at the top of its tree."""
        return self._folders().root(session_id) if self.is_session_id(session_id) else None

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> list[StoredSession]:
        """Returns root threads with their trees, newest first."""
        if not codex_folders(self._env):
            return []
        from unbraid.agents.codex.sessions.file_formats import tree_run

        folders = self._folders()
        found = [
            StoredSession(
                session_id=root,
                changed_ms=changed_ms,
                version=files_version(map(_stamp, files)),
                translate=partial(translate_run, tree_run(files, root)),
                size=sum(_stamp(file)[0] for file in files),
            )
            for root, files, changed_ms in _trees(folders, since_ms)
        ]
        for place, problem in folders.problems.items():
            warn(f"{place}: {problem}")
        return found

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what the rollouts hold."""
        from unbraid.agents.codex.sessions.rollout_file import thread_of_name
        from unbraid.agents.codex.sessions.search import rollout_blocks

        for root, files, _ in _trees(self._folders(), 0):
            for file in files if root not in known else ():
                thread = thread_of_name(file.path.name)
                agent_id = None if thread == root else thread
                yield from rollout_blocks(file.path, needle, session_id=root, agent_id=agent_id)

    def run(self, session_id: str) -> RunTracks | None:
        """Returns the rollouts of the tree that a thread belongs to."""
        if not self.is_session_id(session_id):
            return None
        from unbraid.agents.codex.sessions.file_formats import tree_run

        folders = self._folders()
        files = folders.files()
        root = folders.root(session_id, files)
        return None if root is None else tree_run(folders.tree(root, files), root)

    def updated(self, session_id: str) -> int:
        """Returns when a rollout of its tree was last written."""
        folders = self._folders()
        files = folders.files()
        root = folders.root(session_id, files)
        written = [modified_ms(file.path) for file in folders.tree(root or "", files)]
        return max(written, default=0)

    def follow(self, session_id: str, recorded: Recorded) -> RolloutFollower | None:
        """Returns a follower that reads its rollouts from where the log stands."""
        from unbraid.agents.codex.sessions.follower import RolloutFollower

        folders = self._folders()
        root = folders.root(session_id)
        if root is None:
            return None
        return RolloutFollower(recorded, lambda: [file.path for file in folders.tree(root)])

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns the states of the sessions whose files a process has open, and of those of
        `among` that none has.
        """
        from unbraid.agents.codex.sessions.writers import open_rollouts, watched_tree

        now = open_rollouts()
        wanted = now.own | now.shared | set(among)
        folders = self._folders()
        files = folders.files() if wanted else {}
        roots = {folders.root(thread, files) for thread in wanted} - {None}
        found: dict[str, SessionState] = {}
        for root in roots:
            state = now.state(watched_tree(folders.tree(root or "", files)))
            if root is not None and state is not None:
                found[root] = state
        return found

    def watch(
        self,
        *,
        warn: Callable[[str], None] = lambda text: None,
        only: str | None = None,
        inotify: bool = True,
        servers: Sequence[str] = (),
    ) -> RolloutWatch:
        """Returns a watch of its folders; `servers` are those of other kinds."""
        from unbraid.agents.codex.sessions.watch import RolloutWatch

        return RolloutWatch(self._env, warn=warn, inotify=inotify)

    def _folders(self) -> RolloutFolders:
        from unbraid.agents.codex.sessions.thread_tree import RolloutFolders

        return RolloutFolders(codex_folders(self._env))


def _trees(folders: RolloutFolders, since_ms: int) -> list[tuple[str, list[RolloutFile], int]]:
    """Returns root threads with the files of their trees and when one of these was last written,
    newest first.
    """
    files = folders.files()
    newest: dict[str, int] = {}
    for thread, path in files.items():
        at = modified_ms(path)
        if at >= since_ms:
            root = folders.root(thread, files) or thread
            newest[root] = max(newest.get(root, 0), at)
    order = sorted(newest, key=lambda root: newest[root], reverse=True)
    return [(root, folders.tree(root, files), newest[root]) for root in order]


def _stamp(file: RolloutFile) -> tuple[int, int]:
    try:
        status = file.path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
