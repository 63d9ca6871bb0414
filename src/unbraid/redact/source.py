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

from unbraid.wire.chunk import Chunk
from unbraid.wire.lines import LineParts

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
    from unbraid.agents.registry import delta_formats
    from unbraid.redact.events import EventDeltas
    from unbraid.redact.lines import LineFormats

    return LineFormats.of((*delta_formats(), EventDeltas()))


class _Source:
    """One source: where its lines that wait begin, and the half line after them."""

    __slots__ = ("arrived_ms", "is_overlong", "lines", "offset", "parts")

    def __init__(self, offset: int) -> None:
        self.lines, self.offset, self.parts = line_redactor(), offset, LineParts()
        # Within a line that is too long to be held.
        self.is_overlong = False
        self.arrived_ms = 0


class SourceRedactor:
    """Chunks of a run's sources in, the same bytes redacted out, as soon as they are decided."""

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}

    def redact(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yields as much of everything so far as is decided. A chunk without bytes passes."""
        for chunk in chunks:
            if not chunk.data:
                yield chunk
                continue
            source = self._sources.get(chunk.source)
            if source is None:
                source = self._sources[chunk.source] = _Source(chunk.offset)
            elif not source.lines.size and not source.parts.held_bytes:
                source.offset = chunk.offset
            source.arrived_ms = chunk.arrived_ms
            lines: list[bytes] = []
            for part in source.parts.feed(chunk.data):
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
            yield from _decided(chunk.source, source, expired=source.lines.full)

    def rest(self) -> Iterator[Chunk]:
        """Yields what was waiting, when nothing more will come."""
        sources, self._sources = self._sources, {}
        for name, source in sources.items():
            source.lines.push([b"".join(source.parts.finish())])
            for chunk in _decided(name, source, last=True):
                if data := chunk.data[:-1]:
                    yield chunk._replace(data=data)


class IngestRedactor:
    """Redacts a run whose senders keep what is undecided, and send it again with what follows."""

    def __init__(self) -> None:
        self._sources: dict[str, LineRedactor] = {}
        # Sources within a line that is too long to be sent again.
        self._overlong: set[str] = set()

    def lines(self, source: str, data: bytes, *, end: bool) -> bytes:
        """Returns as much of a source's next bytes as is decided, redacted, not one byte more or
        less. Nothing is shown of a line that a sender would have to send again and again.
        """
        head = b""
        if source in self._overlong:
            stop = data.find(b"\n") + 1
            if not stop:
                return b"*" * len(data)
            self._overlong.discard(source)
            head, data = b"*" * (stop - 1) + b"\n", data[stop:]
        shown = self._of(source).lines(data, end=end)
        rest = data[len(shown) :]
        if end or len(rest) <= OVERLONG_BYTES or b"\n" in rest:
            return head + shown
        self._overlong.add(source)
        return head + shown + b"*" * len(rest)

    def seen(self, chunk: Chunk) -> None:
        """Takes redacted bytes that were given out before a restart, in any chunks."""
        self._of(chunk.source).seen(chunk.data)
        if chunk.data.endswith(b"\n"):
            self._overlong.discard(chunk.source)
        elif chunk.data:
            # Only such a line is given out before it has ended.
            self._overlong.add(chunk.source)

    def _of(self, source: str) -> LineRedactor:
        if source not in self._sources:
            self._sources[source] = line_redactor()
        return self._sources[source]


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
