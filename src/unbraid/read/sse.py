"""Server-sent events to their data, line by line.

An `/event` capture is SSE text. Its `data:` lines each hold one whole JSON object, so a line is a
record; everything else (comments, `event:`, `id:`, `retry:`) frames it and says nothing.
"""

from __future__ import annotations

FRAMING = (b":", b"event:", b"id:", b"retry:")


def data_of(line: bytes) -> bytes:
    """Returns the payload of a `data:` line; nothing for framing; any other line unchanged."""
    if line.startswith(b"data:"):
        return line[5:].strip()
    # What looks like framing and holds an object is the rest of a line that lost its beginning.
    if line.startswith(FRAMING) and b'{"' not in line:
        return b""
    return line
