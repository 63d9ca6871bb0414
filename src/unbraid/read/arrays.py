"""Arrays of records: all that a run printed, given out at its end.

`claude -p --verbose --output-format json` prints one on a line; people who store it often indent
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

# A string to its end (or to the end of all, so that no byte is looked at twice), or a bracket.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{}]', re.DOTALL)
_PUNCTUATION = b"[], \t\r\n"

# Whether something is an array of objects; other lines begin with a bracket, too: `[INFO] …`.
begins_array = re.compile(rb"\s*+\[\s*+\{").match


def elements(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields every object of an array and where it starts, and likewise whatever stands between
    two.
    """
    depth = end = outside = 0
    begin: int | None = None
    for token in _TOKEN.finditer(text):
        mark = text[token.start()]
        if mark in b"[{":
            if begin is None and depth <= 1 and mark in b"{":
                begin, outside = token.start(), depth
            depth += 1
        elif mark in b"]}":
            depth -= 1
            if depth == outside and begin is not None:
                yield from _between(text, end, begin)
                end = token.end()
                yield begin, text[begin:end]
                begin = None
    yield from _between(text, end, len(text))


def as_lines(text: bytes) -> Iterator[bytes]:
    """Yields what an array holds, each on a line; lines that follow it stay such."""
    for _, raw in elements(text):
        yield _on_one_line(raw) + b"\n"


def _between(text: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    stretch = text[start:end]
    if stretch.strip(_PUNCTUATION):
        raw = stretch.strip(b", \t\r\n")
        yield start + stretch.index(raw), raw


def _on_one_line(raw: bytes) -> bytes:
    try:
        return msgspec.json.format(raw, indent=-1)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return raw.replace(b"\n", b" ")
