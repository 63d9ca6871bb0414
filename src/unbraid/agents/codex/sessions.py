"""Codex's sessions on this machine: listed, followed and watched; one rollout a thread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from unbraid.agents.codex.records import ABOUT
from unbraid.agents.codex.rollouts import (
    RolloutFolders,
    first_line,
    last_count,
    stored_order,
    thread_of_name,
    with_time,
)
from unbraid.agents.files import Files, FileSessions, FilesFollower
from unbraid.agents.port import SessionState, WatchOptions
from unbraid.agents.source import Recorded
from unbraid.read.chunk import Chunk

if TYPE_CHECKING:
    from unbraid.agents.codex.watch import RolloutWatch


class CodexSessions(FileSessions):
    """Codex's `SessionStore`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._folders = RolloutFolders.of(env)
        super().__init__(self._folders)

    def follower(
        self, root: str, recorded: Recorded, files: Callable[[], Files]
    ) -> RolloutFollower:
        """Returns a follower of a session."""
        return RolloutFollower(recorded, lambda: self._folders.tree(root, files()))

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns the states of the sessions whose files a process has open, and of those of
        `among` that none has.
        """
        from unbraid.agents.codex.watch import open_rollouts

        now = open_rollouts()
        wanted = now.own | now.shared | set(among)
        files = self._folders.files() if wanted else {}
        roots = {self._folders.root(thread, files) for thread in wanted}
        found = {
            root: now.state(self._folders, self._folders.tree(root, files))
            for root in roots
            if root is not None
        }
        return {root: state for root, state in found.items() if state is not None}

    def watch(self, options: WatchOptions) -> RolloutWatch:
        """Returns a watch of its folders."""
        from unbraid.agents.codex.watch import RolloutWatch

        return RolloutWatch(self._folders, self.follower, options)


class RolloutFollower(FilesFollower):
    """One session as it grows: the main agent's rollout and those of all sub-agents."""

    def __init__(self, recorded: Recorded, tree: Callable[[], Files]) -> None:
        super().__init__(RolloutFolders(list), recorded, tree)
        self._is_new = recorded.is_new
        # Files that are read from their middle, by a run that has nothing of what is before that,
        # and have not been introduced; by their offsets.
        self._begin_late: dict[str, int] = {}

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files, by its time."""
        for name, chunk in self._read():
            # Whatever comes, it is known whose session it is.
            for late in (next(iter(self._files.tails)), name):
                if late in self._begin_late:
                    yield from self._introduction(late, chunk.data)
            yield chunk

    def _added(self, name: str, base: int) -> None:
        if self._is_new and base > 0:
            self._begin_late[name] = base

    def _introduction(self, name: str, first: bytes) -> Iterator[Chunk]:
        """Yields what has to be known of a file that begins late: its first line, which says whose
        it is, and how many tokens were used before, which the file repeats. They have the time of
        the line that is read `first`: the run begins now, not with the session.
        """
        path, at = self._files.tails[name].path, 0
        thread = thread_of_name(path.name)
        for known in (first_line(path), last_count(path, self._begin_late.pop(name))):
            if known:
                dated = with_time(known, stored_order(first).at)
                yield Chunk(f"{ABOUT}{thread}", at, dated)
                at += len(dated)
