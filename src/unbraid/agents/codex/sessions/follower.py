"""One of Codex's sessions, read as its rollouts grow: the main agent's and all sub-agents'."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from unbraid.agents.codex.records import ABOUT
from unbraid.agents.codex.sessions.file_formats import stored_order, with_time
from unbraid.agents.codex.sessions.packed_file import PackedTail
from unbraid.agents.codex.sessions.rollout_file import (
    first_line,
    last_count,
    thread_of_name,
)
from unbraid.agents.stored import Recorded
from unbraid.system.file_tail import Place, Tail
from unbraid.system.files import seconds_since
from unbraid.translate.tracks import split
from unbraid.wire.chunk import Chunk

# A source's name: the thread, which generation of its file this is (see `Tail`), and from which
# byte on it belongs to the run.
_SOURCE = re.compile(r"rollout-([0-9a-f-]{36})@(\d+)\+(\d+)")
PACKED = ".zst"


class FollowedRollout:
    """One file, from where the log stands."""

    def __init__(self, path: Path, thread: str, place: Place, base: int) -> None:
        self.path, self.thread, self.base = path, thread, base
        self.tail = PackedTail(path, place) if path.suffix == PACKED else Tail(path, place)
        self._generation = place.generation
        self.begins_late = base > 0

    def lines(self, *, last: bool) -> Iterator[tuple[int, int, Chunk]]:
        """Yields its new lines with their times, which never go back."""
        at = 0
        for number, chunk in enumerate(self._chunks(last=last)):
            at = max(at, stored_order(chunk.data).at)
            yield at, number, chunk

    def _chunks(self, *, last: bool) -> Iterator[Chunk]:
        for chunk in self.tail.read():
            yield from self._split(chunk)
        if last:
            for chunk in self.tail.rest():
                yield from self._split(chunk)

    def _split(self, chunk: Chunk) -> Iterator[Chunk]:
        generation = self.tail.generation
        # A file that was rewritten belongs to the run from its first byte on.
        base = self.base if generation == self._generation else 0
        source, at = f"rollout-{self.thread}@{generation}+{base}", chunk.offset - base
        for line in split([chunk.data]):
            yield Chunk(source, at, line)
            at += len(line)


class RolloutFollower:
    """The `Follower` of a session. `tree` returns the files of its threads, parents first."""

    unsettled = False

    def __init__(self, recorded: Recorded, tree: Callable[[], list[Path]]) -> None:
        self._recorded, self._tree = recorded, tree
        self._files: dict[str, FollowedRollout] = {}

    @property
    def problems(self) -> Mapping[str, str]:
        """The files that could not be read, and why."""
        files = self._files.values()
        return {str(each.path): each.tail.problem for each in files if each.tail.problem}

    def read(self, *, at_once: bool = False, last: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files, by its time."""
        for path in self._tree():
            thread = thread_of_name(path.name)
            if thread is None:
                continue
            known = self._files.get(thread)
            if known is None:
                self._files[thread] = self._opened(path, thread)
            elif known.path != path and path.suffix == known.path.suffix:
                # Archived: the same file in another place.
                known.path = known.tail.path = path
        files = list(self._files.values())
        queues = [_ranked(rank, file, last=last) for rank, file in enumerate(files)]
        for _, rank, _, chunk in heapq.merge(*queues, key=lambda item: item[:3]):
            # The main agent's file is the first: whatever comes, it is known whose session it is.
            for file in (files[0], files[rank]):
                if file.begins_late:
                    file.begins_late = False
                    yield from self._about(file, chunk.data)
            yield chunk

    def silent_seconds(self) -> float:
        """For how long none of its files has been written."""
        return seconds_since(each.path for each in self._files.values())

    def _opened(self, path: Path, thread: str) -> FollowedRollout:
        is_new = self._recorded.is_new
        offsets = self._recorded.earlier if is_new else self._recorded.offsets
        place, base = Place(), 0
        for source, offset in offsets.items():
            match = _SOURCE.fullmatch(source)
            if match is None or match[1] != thread:
                continue
            generation, begins = int(match[2]), int(match[3])
            ends = (b"", b"") if is_new else self._recorded.ends.get(source, (b"", b""))
            known = Place(generation, begins + offset, b"" if begins else ends[0], ends[1])
            if known[:2] > place[:2]:
                place, base = known, begins
        base = place.offset if is_new else base
        opened = FollowedRollout(path, thread, place, base)
        opened.begins_late = is_new and base > 0
        return opened

    def _about(self, file: FollowedRollout, first: bytes) -> Iterator[Chunk]:
        """Yields what has to be known of a file that is read from its middle: its first line, which
        says whose it is, and how many tokens were used before, which the file repeats. They have
        the time of the line that is read `first`: the run begins now, not with the session.
        """
        at = 0
        for known in (first_line(file.path), last_count(file.path, file.base)):
            if known:
                dated = with_time(known, stored_order(first).at)
                yield Chunk(f"{ABOUT}{file.thread}", at, dated)
                at += len(dated)


def _ranked(
    rank: int, file: FollowedRollout, *, last: bool
) -> Iterator[tuple[int, int, int, Chunk]]:
    for at, number, chunk in file.lines(last=last):
        yield at, rank, number, chunk
