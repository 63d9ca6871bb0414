"""Keys that are known by their beginning, though they may have no long run of letters: JSON web
tokens, keys full of hyphens, and what is left of keys that are redacted already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unbraid.redact.entropy import wordy
from unbraid.redact.leads import BODY, EDGE, EIGHT, LEAD, OWN, body_counts

# What is still undecided after so many characters is decided as it stands.
LONGEST = 512

SK_OPEN = re.compile(EDGE + rb"sk-")
_SK = re.compile(EDGE + rb"sk-(?P<value>\*{8,}[A-Za-z0-9]*|[A-Za-z0-9]{20,})")
# These may have no run that is long enough.
_HYPHENATED = tuple(
    (anchor, re.compile(lead))
    for anchor, lead in ((b"sk-", rb"sk-"), (b"xox", rb"xox[a-z]"), (OWN, rb"unbraid_"))
)
_B = rb"[A-Za-z0-9_\-]"
_JWT = re.compile(
    rb"eyJ(?P<value>\*{8,}[A-Za-z0-9_\-.=]*"
    rb"|(?:%b){10,}\.(?:%b){10,}\.(?:%b){10,}=*|(?:%b){%d,}|(?:%b){10,}\.(?:%b){%d,})"
    % (_B, _B, _B, _B, LONGEST, _B, _B, LONGEST)
)
_PART = rb"%b{0,%d}" % (_B, LONGEST - 1)
JWT_OPEN = re.compile(EDGE + rb"eyJ%b(?:\.%b(?:\.%b{0,9})?)?\Z" % (_PART, _PART, _B))
_STARS = re.compile(rb"\*{8,}")
_STARRED = re.compile(rb"(?:[A-Za-z0-9_+/~]|-(?!----))+={0,2}")
_EYJ = b"eyj"
# In small letters: one of them is in each text that has such a key.
ANCHORS = frozenset((_EYJ, EIGHT, *(anchor for anchor, _ in _HYPHENATED)))


def ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields JSON web tokens, keys that may be full of hyphens, and what follows stars."""
    for found in _JWT.finditer(text) if _EYJ in anchors else ():
        before = text[max(0, found.start() - 2) : found.start()]
        if not before[-1:].isalnum() or before[:1] == b"\\":
            yield found.span("value")
    for anchor, begun in _HYPHENATED:
        for found in begun.finditer(text) if anchor in anchors else ():
            lead, key = LEAD.match(text, found.start()), _SK.match(text, found.start())
            if lead and (body := BODY.match(text, lead.end())) and body_counts(lead[0], body[0]):
                yield body.span()
            elif key and not wordy(key["value"]):
                yield key.span("value")
    at = text.find(EIGHT) if EIGHT in anchors else -1
    while at >= 0 and (stars := _STARS.match(text, at)):
        if rest := _STARRED.match(text, stars.end()):
            yield rest.span()
        at = text.find(EIGHT, stars.end())
