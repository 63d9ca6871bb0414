"""All of Codex's sessions, watched for changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from unbraid.agents.codex.places import codex_folders
from unbraid.agents.codex.sessions.follower import RolloutFollower
from unbraid.agents.codex.sessions.rollout_file import ends_turn, has_first_line, thread_of_name
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.codex.sessions.writers import RolloutWriters, watched_tree
from unbraid.agents.files import ChangedFiles
from unbraid.agents.session_port import Recorded, SessionWatch


class RolloutWatch(SessionWatch):
    """Codex's `SessionWatch`."""

    def __init__(
        self, env: Mapping[str, str], *, warn: Callable[[str], None], inotify: bool
    ) -> None:
        self._env = env
        self._folders = RolloutFolders(codex_folders(env))
        self._files = ChangedFiles(
            lambda: codex_folders(env), self._find, _written_thread, warn=warn, inotify=inotify
        )
        self._writers = RolloutWriters()

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields root sessions of which a rollout has changed."""
        async with aclosing(self._files.changes()) as changes:
            async for threads in changes:
                yield await asyncio.to_thread(self._roots, threads)

    def look(self) -> set[str]:
        """Compares all files with the look before. Returns the sessions that have changed."""
        return self._roots(self._files.look())

    def has(self, session_id: str) -> bool:
        """Returns whether its rollout is there."""
        return self._files.has(session_id)

    def follow(self, session_id: str, recorded: Recorded) -> RolloutFollower | None:
        """Returns a follower that reads its rollouts from where the log stands."""
        if session_id not in self._files.paths:
            return None
        self._writers.look()
        return RolloutFollower(recorded, lambda: self._tree(session_id))

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those whose files no process has open any more, or only the shared server, in
        which no agent works and no terminal may show it.
        """
        files = dict(self._files.paths)
        trees = {name: watched_tree(self._folders.tree(name, files)) for name in among}
        return self._writers.ended(trees, self._says_it_is_over)

    def _says_it_is_over(self, session_id: str) -> bool:
        """Returns whether this was `codex exec`, which ends with its turn, and the turn is over."""
        path = self._files.paths.get(session_id)
        head = None if path is None else self._folders.head(path)
        return path is not None and head is not None and head.source == "exec" and ends_turn(path)

    def _tree(self, session_id: str) -> list[Path]:
        return [file.path for file in self._folders.tree(session_id, dict(self._files.paths))]

    def _find(self) -> dict[str, Path]:
        self._folders = RolloutFolders(codex_folders(self._env), self._folders)
        return self._folders.files()

    def _roots(self, threads: Iterable[str]) -> set[str]:
        files = dict(self._files.paths)
        # A thread's first line names its parent: without that line, it would seem to have none.
        begun = [each for each in threads if each in files and self._has_begun(files[each])]
        found = {self._folders.root(thread, files) for thread in begun}
        return {root for root in found if root is not None}

    def _has_begun(self, path: Path) -> bool:
        return self._folders.head(path) is not None or has_first_line(path)


def _written_thread(path: Path) -> str | None:
    """Returns the thread whose rollout this is, unless it is compressed: that is read whole."""
    return thread_of_name(path.name) if path.suffix == ".jsonl" else None
