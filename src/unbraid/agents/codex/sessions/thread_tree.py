"""The rollouts below a folder, and which of them are of one run: links count, not folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.codex.records import SessionHead
from unbraid.agents.codex.sessions.rollout_file import created_ms, rollout_head, thread_of_name

# A thread's file of Codex is written after its children were started; clocks are less exact.
THREAD_FILE_SLACK_MS = 120_000

# Where Codex keeps rollouts below its home: a folder a year, a month, a day.
_KEPT = re.compile(r"\d{4}|\d\d|sessions|archived_sessions")


class RolloutFile(NamedTuple):
    """Where a thread is stored, and what its first line says."""

    path: Path
    head: SessionHead


class RolloutFolders:
    """The rollouts below some folders. First lines never change, so they are read once."""

    def __init__(self, folders: Iterable[Path], before: RolloutFolders | None = None) -> None:
        self._folders = tuple(folders)
        self.problems: dict[str, str] = {}  # folders that could not be read, and why
        self._heads: dict[Path, SessionHead | None] = {} if before is None else before._heads

    def files(self) -> dict[str, Path]:
        """Returns the file of every thread. Of a thread that is there twice, the plain one."""
        found: dict[str, Path] = {}
        self.problems = {}
        for folder in self._folders:
            for path in self._walked(folder):
                thread = thread_of_name(path.name)
                if thread is not None and (thread not in found or path.suffix == ".jsonl"):
                    found[thread] = path
        return found

    def path(self, thread_id: str) -> Path | None:
        """Returns the file of a thread."""
        return self.files().get(thread_id)

    def head(self, path: Path) -> SessionHead | None:
        """Returns what a file's first line says."""
        known = self._heads.get(path)
        if known is None:
            known = self._heads[path] = rollout_head(path)
        return known

    def root(self, thread_id: str, files: dict[str, Path] | None = None) -> str | None:
        """Returns the thread at the top of this one's tree, as far as it is stored; None if the
        thread itself is not.
        """
        files = self.files() if files is None else files
        if thread_id not in files:
            return None
        seen = {thread_id}
        while True:
            head = self.head(files[thread_id])
            above = head.parent if head is not None else None
            if above is None or above not in files or above in seen:
                return thread_id
            seen.add(above)
            thread_id = above

    def tree(self, root: str, files: dict[str, Path] | None = None) -> list[RolloutFile]:
        """Returns a thread and all threads below it, parents first."""
        files = self.files() if files is None else files
        if root not in files:
            return []
        children: dict[str, list[str]] = {}
        for thread in self._candidates(root, files):
            head = self.head(files[thread])
            if head is not None and head.parent is not None and head.id == thread:
                children.setdefault(head.parent, []).append(thread)
        found: list[RolloutFile] = []
        waiting, seen = [root], {root}
        while waiting:
            thread = waiting.pop(0)
            head = self.head(files[thread]) or SessionHead(id=thread)
            found.append(RolloutFile(files[thread], head))
            for child in sorted(children.get(thread, ())):
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return found

    def _candidates(self, root: str, files: dict[str, Path]) -> Iterator[str]:
        """Yields threads that may be below one, by the time at which they were made."""
        since = created_ms(root) - THREAD_FILE_SLACK_MS
        try:
            upto = int(files[root].stat().st_mtime * 1000) + THREAD_FILE_SLACK_MS
        except OSError:
            upto = 0
        for thread in files:
            at = created_ms(thread)
            if thread != root and at >= since and (at <= upto or upto < since):
                yield thread

    def _walked(self, folder: Path) -> Iterator[Path]:
        """Yields the files of a folder, and of the years, months and days in it: a person may name
        any folder, and a whole disk is not searched.
        """
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            return  # it has just been deleted
        except OSError as error:
            self.problems[str(folder)] = error.strerror or str(error)
            return
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if _KEPT.fullmatch(entry.name) is not None:
                    yield from self._walked(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
