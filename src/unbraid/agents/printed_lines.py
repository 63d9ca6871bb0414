"""What a process prints, line by line, until it is recorded."""

from __future__ import annotations

from collections.abc import Callable

from unbraid.system.clock import now_ms
from unbraid.wire.chunk import Chunk, ChunkedSource
from unbraid.wire.lines import LineParts


class PrintedLines:
    """The stdout of one process. `read` is given each line, and returns it as it is recorded."""

    def __init__(self, read: Callable[[bytes], bytes]) -> None:
        self._read = read
        self._lines = LineParts()
        self._source = ChunkedSource(f"stdout.{now_ms()}")
        self._chunks: list[Chunk] = []
        self.has_ended = False

    def feed(self, data: bytes) -> None:
        """Takes more bytes in."""
        for line in self._lines.feed(data):
            self._keep(line)

    def end(self) -> None:
        """Notes that the process is gone."""
        self.has_ended = True
        for line in self._lines.finish():
            self._keep(line)

    def take(self) -> list[Chunk]:
        """Returns what has been printed since the last time."""
        chunks, self._chunks = self._chunks, []
        return chunks

    def _keep(self, line: bytes) -> None:
        self._chunks.append(self._source.chunk(self._read(line)))
