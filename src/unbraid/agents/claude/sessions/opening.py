"""What the first lines of a transcript say of its session: ids, folder, version, beginning. It
stands on every line of a conversation and nowhere in particular.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from unbraid.read.record import BAD_JSON, milliseconds
from unbraid.read.tracks import first_lines
from unbraid.system.files import chunks, read_small

# So many lines that have a time are read; notes of the CLI have none, and many may come first.
HEAD_LINES, MAX_LINES = 40, 10_000
HEAD_BYTES = 1 << 13


class OpeningLine(Struct):
    """One of a transcript's first lines."""

    timestamp: str | None = None
    cwd: str | None = None
    session_id: str | None = field(default=None, name="sessionId")
    version: str | None = None


class Opening(Struct):
    """What the first lines say; `started` is in milliseconds since 1970, 0 if no line has a
    time.
    """

    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    started: int = 0


_decode = msgspec.json.Decoder(OpeningLine).decode


def opening_of(lines: Iterable[bytes]) -> Opening:
    """Returns what the first of some lines say."""
    found, left = Opening(), HEAD_LINES
    for line in lines:
        try:
            head = _decode(line)
        except BAD_JSON:
            left -= 1
        else:
            left -= head.timestamp is not None
            found.cwd = found.cwd or head.cwd
            found.session_id = found.session_id or head.session_id
            found.version = found.version or head.version
            found.started = found.started or milliseconds(head.timestamp)
        if not left or (found.cwd is not None and found.started):
            break
    return found


def opening_of_file(main: Path | str) -> Opening:
    """Returns what the first lines of a transcript say; nothing if it cannot be read."""
    try:
        # Mostly one small read will do. A line that is cut off by it is no JSON.
        found = opening_of(read_small(main, HEAD_BYTES).split(b"\n")[:HEAD_LINES])
        if found.cwd is None or not found.started:
            found = opening_of(first_lines(chunks(Path(main)), MAX_LINES))
    except (OSError, ValueError):
        return Opening()
    return found
