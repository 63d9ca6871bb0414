"""Redacts sources on their way in: before anything stores their bytes, sends or shows them.

What may still become a secret waits, with all that follows it in its source. Only text that comes
in small parts ever waits, from a stdout or a server; lines of files and rows are decided as they
stand. Each process gives such a source a new name, so no other has to know what was waiting when it
died: it reads the same text whole, from where the agent stores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES, LineParts

if TYPE_CHECKING:
    from unbraid.redact.lines import LineFormats, LineRedactor

# As much as a sender sends at once of a line that does not end. With more that was not taken, and
# as much again, what it sends would be larger than a server accepts.
OVERLONG_BYTES = 8 << 20
# A few stars are an agent's own, unless they may be the rest of more.
_STARS = re.compile(rb"\*{8,}|\A\*+|\*+\Z")


def line_redactor() -> LineRedactor:
    """Returns what redacts one source, of whichever kind."""
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.lines import LineRedactor

    return LineRedactor(_line_formats())


@cache
def _line_formats() -> LineFormats:
    from unbraid.agents.registry import delta_dialects
    from unbraid.redact.lines import EventDeltas, LineFormats

    return LineFormats((*delta_dialects(), EventDeltas()))


class _Source:
    """One source: where its lines that wait begin, and the half line after them."""

    __slots__ = ("arrived_ms", "is_overlong", "lines", "offset", "parts")

    def __init__(self, offset: int, max_line_bytes: int) -> None:
        self.lines, self.offset, self.parts = line_redactor(), offset, LineParts(max_line_bytes)
        # Within a line that is too long to be held.
        self.is_overlong = False
        self.arrived_ms = 0

    @property
    def held_bytes(self) -> int:
        return self.lines.size + self.parts.held_bytes


class SourceRedactor:
    """Chunks of a run's sources in, the same bytes redacted out, as soon as they are decided."""

    def __init__(self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._sources: dict[str, _Source] = {}
        self._seen: dict[str, LineParts] = {}

    @property
    def held_bytes(self) -> int:
        """How much waits here."""
        return sum(source.held_bytes for source in self._sources.values())

    def redact(self, chunks: Iterable[Chunk], *, full: bool = False) -> Iterator[Chunk]:
        """Yields as much of everything so far as is decided, or all of it if more waits than should
        (`full`). A chunk without bytes passes.
        """
        for chunk in chunks:
            if not chunk.data:
                yield chunk
                continue
            source = self._source(chunk)
            data = chunk.data
            if source.held_bytes:
                # Who sends again what was not acknowledged sends what waits here.
                data = data[max(0, source.offset + source.held_bytes - chunk.offset) :]
            else:
                source.offset = chunk.offset
            source.arrived_ms = chunk.arrived_ms
            lines: list[bytes] = []
            for part in source.parts.feed(data):
                if part.endswith(b"\n") and not source.is_overlong:
                    lines.append(part[:-1])
                    continue
                # A line that is too long for its reader is never read, so nothing of it is shown.
                source.lines.push(lines)
                yield from _decided(chunk.source, source, expired=True)
                lines, source.is_overlong = [], not part.endswith(b"\n")
                hidden = b"*" * (len(part) - 1) + (b"*" if source.is_overlong else b"\n")
                yield Chunk(chunk.source, source.offset, hidden, arrived_ms=source.arrived_ms)
                source.offset += len(part)
            source.lines.push(lines)
            yield from _decided(chunk.source, source, expired=full or source.lines.full)

    def accepted(self, chunk: Chunk, *, end: bool, full: bool = False) -> bytes:
        """Returns as much of a source's next bytes as is decided, redacted, for a sender that sends
        the rest again. Half a line is not kept here, unless it is too long to be sent again.
        """
        data, source = chunk.data, self._source(chunk)
        self._seen.pop(chunk.source, None)
        whole = data.rfind(b"\n") + 1
        if end or source.is_overlong or len(data) - whole > self._max_line_bytes:
            whole = len(data)
        shown = list(self.redact([chunk._replace(data=data[:whole])], full=full))
        shown += self._rest_of(chunk.source) if end else ()
        return b"".join(part.data for part in shown)

    def seen(self, chunk: Chunk) -> None:
        """Takes redacted bytes that came out before a restart, in any chunks, and continues after
        them.
        """
        source = self._source(chunk)
        parts = self._seen.setdefault(chunk.source, LineParts())
        source.lines.skip([part[:-1] for part in parts.feed(chunk.data) if part.endswith(b"\n")])
        # Only a line that is too long comes out before it has ended.
        source.is_overlong = not chunk.data.endswith(b"\n")
        source.parts = LineParts(self._max_line_bytes, is_overlong=source.is_overlong)

    def rest(self) -> Iterator[Chunk]:
        """Yields what was waiting, when nothing more will come."""
        for name in list(self._sources):
            yield from self._rest_of(name)

    def _rest_of(self, name: str) -> Iterator[Chunk]:
        source = self._sources.pop(name)
        source.lines.push([b"".join(source.parts.finish())])
        for chunk in _decided(name, source, last=True):
            if data := chunk.data[:-1]:
                yield chunk._replace(data=data)

    def _source(self, chunk: Chunk) -> _Source:
        if chunk.source not in self._sources:
            self._sources[chunk.source] = _Source(chunk.offset, self._max_line_bytes)
        return self._sources[chunk.source]


def unredacted_ends(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Returns as much of a source's first and last bytes as has no stars: so much its file has,
    too.
    """
    return _STARS.split(head)[0], _STARS.split(tail)[-1]


def _decided(
    name: str, source: _Source, *, last: bool = False, expired: bool = False
) -> Iterator[Chunk]:
    if data := b"".join(line + b"\n" for line in source.lines.pop(last=last, expired=expired)):
        yield Chunk(name, source.offset, data, arrived_ms=source.arrived_ms)
        source.offset += len(data)
