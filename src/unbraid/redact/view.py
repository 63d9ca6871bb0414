"""Text as a reader sees it, with the way back to the bytes.

What agents print is coloured, and JSON may spell letters out: a key may have a colour, a zero-width
space or an escape in its middle. Secrets are searched in a view where none of that stands between
the characters. Most text has nothing to remove; there the view is the bytes themselves. Newlines
and quotes stay as JSON has them, a backslash and a letter: patterns know that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from unbraid.redact.anchors import Anchors, Present

# Colours and other controls of a terminal, also cut off at the end; zero-width characters, soft
# hyphens, marks of direction; letters that JSON spells out; slashes that it escapes.
_CODE = rb"(?:\[[0-9;:?]{0,32}(?:[@-~]|\Z)|\Z)?"
_SPELLED = (
    rb"\\\\*(?:(?:u001[bB]|x1[bB]|033|e(?=\[))" + _CODE
    + rb"|u(?:200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE][fF][fF]|00[aA][dD])"
    rb"|u00(?P<code>[2-7][0-9a-fA-F])|(?P<slash>/)|(?P<other>u[0-9a-fA-F]{4}))"
)  # fmt: skip
_INVISIBLE = rb"\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xef\xbb\xbf|\xc2\xad"
# Each of its branches begins with a literal, so that `re` looks at nothing else.
_REMOVED = re.compile(b"|".join((_SPELLED, rb"\x1b" + _CODE, _INVISIBLE)))
# In addresses and pages, also those within JSON.
_ENCODED = re.compile(
    _REMOVED.pattern + rb"|%(?P<percent>[2-7][0-9a-fA-F])"
    rb"|&(?:(?P<entity>quot|apos|amp|lt|gt)|#0{0,3}(?P<number>[0-9]{2,3})"
    rb"|#[xX]0{0,3}(?P<hex>[2-7][0-9a-fA-F]));"
)
_ENTITIES = {b"quot": b'"', b"apos": b"'", b"amp": b"&", b"lt": b"<", b"gt": b">"}
# In small letters: one of them is in each text where a secret, or what introduces it, is encoded.
ENCODED = frozenset(b"&# &quot; &apos; %2d %2e %22 %3a %3d %5f %4 %6 %7".split())
# One of them is in each text that has something to remove.
ANCHORS = frozenset(
    (b"\\u", b"\\/", b"\\x1b", b"\\033", b"\\e[", b"\x1b", b"\xef\xbb\xbf", b"\xc2\xad",
     *(b"\xe2\x80" + bytes([last]) for last in (*range(0x8B, 0x90), *range(0xAA, 0xAF))),
     *(b"\xe2\x81" + bytes([last]) for last in range(0xA0, 0xB0)))
)  # fmt: skip
# What one character of JSON may take.
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class View:
    """A text in which secrets are searched, the same in small letters, and which anchors it has."""

    __slots__ = ("_offsets", "_starts", "anchors", "lower", "text")

    def __init__(self, text: bytes, lower: bytes, anchors: Anchors) -> None:
        self.text, self.lower, self.anchors = text, lower, anchors
        # Where parts of the text are in the bytes, if something was removed from these.
        self._starts, self._offsets = [0], [0]

    @classmethod
    def cleaned(cls, data: bytes, removed: re.Pattern[bytes], find: Present) -> View:
        """Returns the text without what a reader does not see."""
        parts, starts, offsets, size, at = list[bytes](), [0], [0], 0, 0
        for found in removed.finditer(data):
            start, end = found.span()
            letter = _letter(found)
            parts += [data[at:start], letter]
            size += start - at
            starts += [size, size + len(letter)]
            offsets += [start, end]
            size += len(letter)
            at = end
        text = b"".join([*parts, data[at:]])
        view = cls(text, lower := text.lower(), find(lower))
        view._starts, view._offsets = starts, offsets
        return view

    def offset(self, at: int) -> int:
        """Returns where in the bytes a character of the text is."""
        part = bisect_right(self._starts, at) - 1
        return self._offsets[part] + at - self._starts[part]

    def end(self, at: int) -> int:
        """Returns where in the bytes a character of the text ends."""
        part = bisect_right(self._starts, at)
        if part < len(self._starts) and self._starts[part] == at + 1:
            return self._offsets[part]
        return self.offset(at) + 1


def views(
    data: bytes, find: Present, lower: bytes | None = None, anchors: Anchors | None = None
) -> Iterator[View]:
    """Yields the texts in which secrets of some bytes are searched: what a reader sees, and that
    without the encoding of addresses and pages. Both count: `p%40ss` may be a password, or part of
    one. `lower` and `anchors`, if they are known: the bytes in small letters, and their anchors.
    """
    lower = data.lower() if lower is None else lower
    anchors = find(lower) if anchors is None else anchors
    if ANCHORS.isdisjoint(anchors):
        yield View(data, lower, anchors)
    else:
        yield View.cleaned(data, _REMOVED, find)
    if not ENCODED.isdisjoint(anchors):
        yield View.cleaned(data, _ENCODED, find)


def _letter(found: re.Match[bytes]) -> bytes:
    """Returns what an escape stands for; nothing if it is not seen."""
    match found.lastgroup:
        case "code" | "percent" | "hex":
            return bytes([int(found[found.lastgroup], 16)])
        case "number":
            return chr(int(found["number"])).encode()
        case "other":
            return chr(int(found["other"][1:], 16)).encode(errors="replace")
        case "entity":
            return _ENTITIES[found["entity"]]
        case "slash":
            return b"/"
        case _:
            return b""


def whole_escapes(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Returns a range without half an escape at its ends, so that what is replaced stays JSON."""
    begin = start
    while begin > 0 and start - begin < 8 and data[begin - 1 : begin] == b"\\":
        begin -= 1
    if (start - begin) % 2:
        found = _ESCAPE.match(data, start - 1)
        start = found.end() if found else start
    # The last escape that begins before the end, if the end is within it.
    last = data.rfind(b"\\", max(start, end - 6), end)
    if last >= 0:
        first = last
        while first > start and data[first - 1 : first] == b"\\":
            first -= 1
        last -= (last - first) % 2
        found = _ESCAPE.match(data, last)
        if found and found.end() > end:
            end = found.end() if found.end() - last > 2 else last
    return start, end
