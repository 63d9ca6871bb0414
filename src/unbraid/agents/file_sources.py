"""Files as the sources of a run.

A source's name says which file it is, which generation of it (see `unbraid.system.file_tail`), and
from which byte on it belongs to the run: `main.jsonl@1+0`. These names are in logs, and all that a
restart needs is them and how much of each source is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from unbraid.agents.session_port import Recorded
from unbraid.system.file_tail import Place
from unbraid.wire.chunk import Chunk

MAX_NAME_CHARS = 200

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
