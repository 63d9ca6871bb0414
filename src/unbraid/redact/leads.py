"""How the keys of known providers begin, and whether what follows such a lead is one."""

from __future__ import annotations

import re

from unbraid.redact.anchors import alternation
from unbraid.redact.entropy import wordy
from unbraid.redact.rules import load

LEAST_BODY = 12
EIGHT = b"*" * 8
OWN = b"unbraid_"
# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
EDGE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"

LEADS, SHAPES = load()
LEAD = re.compile(EDGE + alternation(LEADS))
LED = re.compile(LEAD.pattern + rb"\Z")
BEGINS = re.compile(LEAD.pattern + rb"|sk-|eyJ")
HEADS = frozenset(lead[:3] for lead in LEADS)
BODY = re.compile(rb"(?:\*{8,})?(?:[A-Za-z0-9_+/~]|-(?!----)|\.(?=[A-Za-z0-9_]))*={0,2}")
_DIGIT = re.compile(rb"[0-9]")


def lead_counts(lead: bytes, body: bytes, *, whole: bool) -> bool:
    """Returns whether what follows a lead is a key. `whole`: the lead begins its word."""
    if lead[-1:].isalnum():
        # Four letters are in many a word, and in any data: here the body has to be one piece.
        body = body.rstrip(b"=")
        alike = body.isalnum() and (_DIGIT.search(body) is not None or body.isupper())
        return whole and ((alike and len(body) >= LEAST_BODY) or EIGHT in body)
    return body_counts(lead, body)


def body_counts(lead: bytes, body: bytes) -> bool:
    """Returns whether what follows a lead that no other word has is a key."""
    if body.startswith(EIGHT):
        return True
    least, body = 43 if lead == OWN else LEAST_BODY, body.rstrip(b"=")
    return len(body) >= least and (not wordy(body) or (len(body) >= 20 and body.isalpha()))
