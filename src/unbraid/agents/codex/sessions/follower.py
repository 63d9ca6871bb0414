"""One of Codex's sessions, read as its rollouts grow: the main agent's and all sub-agents'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from unbraid.agents.codex.records import ABOUT
from unbraid.agents.codex.sessions.file_formats import stored_order, with_time
from unbraid.agents.codex.sessions.rollout_file import (
    first_line,
    last_count,
    rollout_bytes,
    rollout_source,
    thread_of_name,
)
from unbraid.agents.file_sources import FollowedFiles, recorded_files
from unbraid.agents.source import Recorded, Source
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.system.file_tail import Place, Tail

PACKED = ".zst"


class RolloutFollower(Source):
    """One session as it grows. `tree` returns the files of its threads, parents first."""

    def __init__(self, recorded: Recorded, tree: Callable[[], list[Path]]) -> None:
        self._is_new, self._tree = recorded.is_new, tree
        self._files = FollowedFiles(recorded_files(recorded), _opened)
        # Files that are read from their middle, by a run that has nothing of what is before that,
        # and have not been introduced; by their offsets.
        self._begin_late: dict[str, int] = {}

    @property
    def problems(self) -> Mapping[str, str]:
        """The files that could not be read, and why."""
        tails = self._files.tails.values()
        return {str(tail.path): tail.problem for tail in tails if tail.problem}

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files, by its time."""
        for path in self._tree():
            if (thread := thread_of_name(path.name)) is not None:
                self._find(rollout_source(thread), path)
        new = self._files.merged(self._files.changed(), lambda name: stored_order)
        rest = self._files.rest() if self.has_ended else ()
        main = next(iter(self._files.tails), "")
        for name, chunk in chain(new, rest):
            # Whatever comes, it is known whose session it is.
            for late in (main, name):
                if late in self._begin_late:
                    yield from self._introduction(late, chunk.data)
            yield chunk

    def silent_seconds(self) -> float:
        """Returns for how long none of its files has been written."""
        return self._files.silent_seconds()

    def _find(self, name: str, path: Path) -> None:
        tail = self._files.tails.get(name)
        if tail is None:
            known = self._files.add(name, path)
            if self._is_new and known.base > 0:
                self._begin_late[name] = known.base
        elif path.suffix == tail.path.suffix:
            tail.path = path  # Codex may have archived it

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


def _opened(path: Path, place: Place) -> Tail:
    return PackedTail(path, place) if path.suffix == PACKED else Tail(path, place)


class PackedTail(Tail):
    """A rollout that Codex has compressed, to which nothing is written any more: it is read once.
    What is in it is what the file was before it was compressed, byte for byte.
    """

    def __init__(self, path: Path, place: Place) -> None:
        super().__init__(path, place)
        self._is_read = False

    def changed(self) -> int | None:
        """Returns a size, whatever it is, until the file is read."""
        return None if self._is_read else 0

    def read(self, upto: int | None = None) -> Iterator[Chunk]:
        """Yields what is behind the place, at the first call."""
        if self._is_read:
            return
        self._is_read, at, from_offset = True, 0, self.offset
        begun, size = list[bytes](), 0
        try:
            for data in rollout_bytes(self.path):
                begin = max(from_offset - at, 0)
                at += len(data)
                end = data.rfind(b"\n") + 1
                if end > begin:
                    yield self._chunk(b"".join((*begun, data[begin:end])))
                    begun, size, begin = [], 0, end
                begun.append(data[begin:])
                size += len(begun[-1])
                if size > DEFAULT_MAX_LINE_BYTES:
                    # Some kilobytes can be unpacked to a line of any length.
                    yield self._chunk(b"".join(begun))
                    begun, size = [], 0
        except (OSError, SourceError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)
        if size:
            yield self._chunk(b"".join(begun))

    def rest(self) -> Iterator[Chunk]:
        """Yields nothing: the file was read to its end."""
        return iter(())

    def _chunk(self, data: bytes) -> Chunk:
        chunk = Chunk(self.path.name, self.offset, data)
        self.offset += len(data)
        return chunk
