"""How the keys of known providers begin, and whether what follows such a prefix is one."""

from __future__ import annotations

import re

from unbraid.redact.anchors import alternation
from unbraid.redact.entropy import consists_of_words
from unbraid.redact.rules import load

LEAST_BODY = 12
EIGHT = b"*" * 8
OWN = b"unbraid_"
# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
EDGE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"

PREFIXES, SHAPES = load()
PREFIX = re.compile(EDGE + alternation(PREFIXES))
PREFIX_AT_END = re.compile(PREFIX.pattern + rb"\Z")
BEGINS = re.compile(PREFIX.pattern + rb"|sk-|eyJ")
HEADS = frozenset(prefix[:3] for prefix in PREFIXES)
BODY = re.compile(rb"(?:\*{8,})?(?:[A-Za-z0-9_+/~]|-(?!----)|\.(?=[A-Za-z0-9_]))*={0,2}")
_DIGIT = re.compile(rb"[0-9]")


def is_key_after(prefix: bytes, body: bytes, *, whole: bool) -> bool:
    """Returns whether what follows a prefix is a key. `whole`: the prefix begins its word."""
    if prefix[-1:].isalnum():
        # Four letters are in many a word, and in any data: here the body has to be one piece.
        body = body.rstrip(b"=")
        alike = body.isalnum() and (_DIGIT.search(body) is not None or body.isupper())
        return whole and ((alike and len(body) >= LEAST_BODY) or EIGHT in body)
    return is_key_body(prefix, body)


def is_key_body(prefix: bytes, body: bytes) -> bool:
    """Returns whether what follows a prefix that no other word has is a key."""
    if body.startswith(EIGHT):
        return True
    least, body = 43 if prefix == OWN else LEAST_BODY, body.rstrip(b"=")
    return len(body) >= least and (
        not consists_of_words(body) or (len(body) >= 20 and body.isalpha())
    )
