"""A rollout that Codex has compressed: nothing is written to it any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unbraid.agents.codex.sessions.rollout_file import rollout_bytes
from unbraid.errors import SourceError
from unbraid.system.file_tail import Place, Tail
from unbraid.wire.chunk import Chunk
from unbraid.wire.lines import DEFAULT_MAX_LINE_BYTES


class PackedTail(Tail):
    """Reads a compressed file once, like a `Tail` from a place on: what is in it is what the file
    was before it was compressed, byte for byte.
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
