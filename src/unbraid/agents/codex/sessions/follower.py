"""One of Codex's sessions, read as its rollouts grow: the main agent's and all sub-agents'."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from unbraid.agents.codex.records import ABOUT
from unbraid.agents.codex.sessions.file_formats import stored_order, with_time
from unbraid.agents.codex.sessions.packed_file import PackedTail
from unbraid.agents.codex.sessions.rollout_file import (
    first_line,
    last_count,
    rollout_source,
    thread_of_name,
)
from unbraid.agents.file_sources import RecordedFile, recorded_files
from unbraid.agents.source import Recorded, Source
from unbraid.system.file_tail import Tail
from unbraid.system.files import seconds_since
from unbraid.translate.tracks import split
from unbraid.wire.chunk import Chunk

PACKED = ".zst"


class FollowedRollout:
    """One file, from where the log stands. One that `begins_late` is read from its middle, by a run
    that has nothing of what is before that, and has not been introduced.
    """

    def __init__(
        self, path: Path, thread: str, known: RecordedFile, *, begins_late: bool = False
    ) -> None:
        self._thread, self._known, self.begins_late = thread, known, begins_late
        make_tail = PackedTail if path.suffix == PACKED else Tail
        self._tail: PackedTail | Tail = make_tail(path, known.place)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._tail.path

    @property
    def problem(self) -> str | None:
        """Why it could not be read, if it could not."""
        return self._tail.problem

    def move_to(self, path: Path) -> None:
        """Notes that the same file is in another place now: Codex has archived it."""
        if path.suffix == self.path.suffix:
            self._tail.path = path

    def introduction(self, first: bytes) -> Iterator[Chunk]:
        """Yields what has to be known of a file that begins late: its first line, which says whose
        it is, and how many tokens were used before, which the file repeats. They have the time of
        the line that is read `first`: the run begins now, not with the session.
        """
        self.begins_late, at = False, 0
        for known in (first_line(self.path), last_count(self.path, self._known.base)):
            if known:
                dated = with_time(known, stored_order(first).at)
                yield Chunk(f"{ABOUT}{self._thread}", at, dated)
                at += len(dated)

    def lines(self, *, last: bool) -> Iterator[tuple[int, int, Chunk]]:
        """Yields its new lines with their times, which never go back."""
        at = 0
        for number, chunk in enumerate(self._chunks(last=last)):
            at = max(at, stored_order(chunk.data).at)
            yield at, number, chunk

    def _chunks(self, *, last: bool) -> Iterator[Chunk]:
        for chunk in self._tail.read():
            yield from self._split(chunk)
        for rest in self._tail.rest() if last else ():
            yield from self._split(rest)

    def _split(self, chunk: Chunk) -> Iterator[Chunk]:
        name = rollout_source(self._thread)
        source, at, data, _ = self._known.chunk(name, self._tail.generation, chunk)
        for line in split([data]):
            yield Chunk(source, at, line)
            at += len(line)


class RolloutFollower(Source):
    """One session as it grows. `tree` returns the files of its threads, parents first."""

    def __init__(self, recorded: Recorded, tree: Callable[[], list[Path]]) -> None:
        self._known, self._is_new, self._tree = recorded_files(recorded), recorded.is_new, tree
        self._files: dict[str, FollowedRollout] = {}

    @property
    def problems(self) -> Mapping[str, str]:
        """The files that could not be read, and why."""
        files = self._files.values()
        return {str(each.path): each.problem for each in files if each.problem}

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files, by its time."""
        for path in self._tree():
            thread = thread_of_name(path.name)
            if thread is None:
                continue
            known = self._files.get(thread)
            if known is None:
                self._files[thread] = self._opened(path, thread)
            else:
                known.move_to(path)
        files = list(self._files.values())
        queues = [_ranked(rank, file, last=self.has_ended) for rank, file in enumerate(files)]
        for _, rank, _, chunk in heapq.merge(*queues, key=lambda item: item[:3]):
            # The main agent's file is the first: whatever comes, it is known whose session it is.
            for file in (files[0], files[rank]):
                if file.begins_late:
                    yield from file.introduction(chunk.data)
            yield chunk

    def silent_seconds(self) -> float:
        """Returns for how long none of its files has been written."""
        return seconds_since(each.path for each in self._files.values())

    def _opened(self, path: Path, thread: str) -> FollowedRollout:
        known = self._known.get(rollout_source(thread), RecordedFile())
        return FollowedRollout(path, thread, known, begins_late=self._is_new and known.base > 0)


def _ranked(
    rank: int, file: FollowedRollout, *, last: bool
) -> Iterator[tuple[int, int, int, Chunk]]:
    for at, number, chunk in file.lines(last=last):
        yield at, rank, number, chunk
