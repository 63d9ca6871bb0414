"""Files as the sources of a run, followed as they grow.

A source's name says which file it is, which generation of it (see `unbraid.system.file_tail`), and
from which byte on it belongs to the run: `main.jsonl@1+0`. These names are in logs, and all that a
restart needs is them and how much of each source is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.source import Recorded
from unbraid.read.chunk import Chunk
from unbraid.read.tracks import LineOrder, Track, merge
from unbraid.system.file_tail import Place, Tail
from unbraid.system.files import seconds_since

MAX_NAME_CHARS = 200
BATCH_BYTES = 1 << 16

_SOURCE = re.compile(r"(.+)@(\d+)\+(\d+)")
_UNFIT = re.compile(r"[^A-Za-z0-9._:@+/-]")


class RecordedFile(NamedTuple):
    """How far a file is known to the log, and from which byte on it belongs to the run."""

    place: Place = Place()
    base: int = 0

    @classmethod
    def from_end(cls, generation: int, size: int) -> RecordedFile:
        """Returns a file for a run that begins behind what is in it already."""
        return cls(Place(generation, size), size)

    def chunk(self, name: str, generation: int, read: Chunk) -> Chunk:
        """Returns what was read of the file as a chunk of its source in the run."""
        # A file that was rewritten belongs to the run from its first byte on.
        base = self.base if generation == self.place.generation else 0
        return Chunk(source_name(name, generation, base), read.offset - base, read.data)


def file_name(name: str) -> str:
    """Returns the name of a file as it is in the names of its sources."""
    return _UNFIT.sub("_", name)[:MAX_NAME_CHARS]


def source_name(name: str, generation: int = 1, base: int = 0) -> str:
    """Returns the name of a file as a source."""
    return f"{file_name(name)}@{generation}+{base}"


def recorded_files(recorded: Recorded) -> dict[str, RecordedFile]:
    """Returns how far the files of a run are recorded, by `file_name`; of several sources of one
    file, the one that is furthest. A new run begins where the earlier ones have ended.
    """
    is_new = recorded.is_new
    found: dict[str, RecordedFile] = {}
    for source, offset in (recorded.earlier if is_new else recorded.offsets).items():
        if (match := _SOURCE.fullmatch(source)) is None:
            continue
        name, generation, base = match[1], int(match[2]), int(match[3])
        if is_new:
            file = RecordedFile.from_end(generation, base + offset)
        else:
            head, tail = recorded.ends.get(source, (b"", b""))
            place = Place(generation, base + offset, head=b"" if base else head, tail=tail)
            file = RecordedFile(place, base)
        if name not in found or found[name].place[:2] < file.place[:2]:
            found[name] = file
    return found


def begin_chunks(files: Mapping[str, RecordedFile]) -> Iterator[Chunk]:
    """Yields where the files of a new run begin, to be recorded with its first bytes: after a
    kill, nothing else would say what had been there before.
    """
    for name, file in files.items():
        yield file.chunk(name, file.place.generation, Chunk(name, file.place.offset, b""))


class FollowedFiles:
    """The files of one session, by their names in it, each read from where the log stands."""

    def __init__(
        self, known: Mapping[str, RecordedFile], opened: Callable[[Path, Place], Tail] = Tail
    ) -> None:
        self.tails: dict[str, Tail] = {}
        self._opened, self._known = opened, known
        self._files: dict[str, RecordedFile] = {}  # as they were known at first

    def add(self, name: str, path: Path) -> RecordedFile:
        """Follows one more file. Returns how far it is recorded."""
        known = self._files[name] = self._known.get(file_name(name), RecordedFile())
        self.tails[name] = self._opened(path, known.place)
        return known

    def changed(self) -> dict[str, int | None]:
        """Returns the sizes of the files that may have something new, in the order in which they
        were added; parents first, so that a child is read as far as its parent tells of it.
        """
        return {name: tail.changed() for name, tail in self.tails.items()}

    def chunk(self, name: str, read: Chunk) -> Chunk:
        """Returns what was read of a file as a chunk of its source."""
        return self._files[name].chunk(name, self.tails[name].generation, read)

    def read(self, name: str, upto: int | None = None) -> Iterator[Chunk]:
        """Yields what is new in one file."""
        for read in self.tails[name].read(upto):
            yield self.chunk(name, read)

    def rest(self) -> Iterator[tuple[str, Chunk]]:
        """Yields what will never be whole, with the names of the files."""
        for name, tail in self.tails.items():
            for read in tail.rest():
                yield name, self.chunk(name, read)

    def merged(
        self,
        sizes: Mapping[str, int | None],
        order_in: Callable[[str], Callable[[bytes], LineOrder]],
    ) -> Iterator[tuple[str, Chunk]]:
        """Yields what is new in files up to these sizes, by the times of the lines, with the names
        of the files; where times are equal, in the order of `sizes`.
        """
        begun: dict[str, Chunk] = {}

        def reader(name: str, upto: int) -> Callable[[], Iterator[bytes]]:
            def read() -> Iterator[bytes]:
                for chunk in self.read(name, upto):
                    begun.setdefault(name, chunk)
                    yield chunk.data

            return read

        tracks = [
            Track(name, reader(name, size), dated=True, order=order_in(name))
            for name, size in sizes.items()
            if size is not None
        ]
        return _chunks(merge(tracks) if tracks else (), begun)

    def silent_seconds(self) -> float:
        """Returns for how long none of the files has been written."""
        return seconds_since(tail.path for tail in self.tails.values())


def _chunks(
    lines: Iterable[tuple[str, bytes]], begun: Mapping[str, Chunk]
) -> Iterator[tuple[str, Chunk]]:
    """Yields lines of named files as chunks, neighbours of one file in one chunk; `begun` has the
    first chunk that was read of each.
    """
    offsets: dict[str, int] = {}
    name, held, size = "", list[bytes](), 0

    def flush() -> Iterator[tuple[str, Chunk]]:
        if held:
            first, data = begun[name], b"".join(held)
            at = offsets.get(name, first.offset)
            offsets[name] = at + len(data)
            yield name, Chunk(first.source, at, data)

    for here, line in lines:
        if here != name or size >= BATCH_BYTES:
            yield from flush()
            name, held, size = here, [], 0
        held.append(line)
        size += len(line)
    yield from flush()
