"""Keys that are known by their beginning: the prefixes of known providers, and whether what follows
one is a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from unbraid.redact.anchors import alternation, matches
from unbraid.redact.entropy import STARS, consists_of_words, plain_start
from unbraid.redact.rules import RULES
from unbraid.redact.view import View

# What is still undecided after so many characters is decided as it stands.
LONGEST = 512
LEAST_BODY = 12
RUN = 13
OWN = b"unbraid_"
# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
_EDGE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"
_WORD_EDGE = re.compile(rb"(?<![A-Za-z0-9_+/-])|(?<=\\[bfnrt])")
PREFIX = re.compile(_EDGE + alternation(RULES.prefixes))
BEGINS = re.compile(PREFIX.pattern + rb"|sk-|eyJ")
BODY = re.compile(rb"(?:\*{8,})?(?:[A-Za-z0-9_+/~]|-(?!----)|\.(?=[A-Za-z0-9_]))*={0,2}")
LINE_END = re.compile(rb"[ \t]*(?:[\n\r]|\\+(?:[nr]|\Z))+(?:[ \t]|\\t){0,16}(?:[>|] )?")
_DIGIT = re.compile(rb"[0-9]")
# In small letters: one of them is in each text that has such a key.
ANCHORS = frozenset(prefix.lower() for prefix in RULES.prefixes)


def ranges(seen: View) -> Iterator[tuple[int, int]]:
    """Yields where keys are behind prefixes."""
    text, done = seen.text, 0
    for prefix, body in _bodies(seen):
        if prefix.start() < done:
            continue
        whole = _WORD_EDGE.match(text, prefix.start()) is not None
        if _is_key_after(prefix[0], body[0], whole=whole):
            done = body.end()
            yield body.span()
        elif rest := _rest_in_next_line(text, prefix[0], body):
            yield body.span()
            yield rest


def open_values(seen: View) -> Iterator[int]:
    """Yields where a key begins with which the text ends, perhaps cut at the end of a line."""
    text = seen.text
    for prefix, body in _bodies(seen):
        end = body.end()
        gap = LINE_END.match(text, end)
        if gap is not None and not BEGINS.match(text, gap.end()):
            rest = BODY.match(text, gap.end(), gap.end() + LONGEST)
            end = rest.end() if rest else gap.end()
        if text[end:] in (b"", b".") and end - prefix.end() < LONGEST:
            yield prefix.end()


def _bodies(seen: View) -> Iterator[tuple[re.Match[bytes], re.Match[bytes]]]:
    """Yields the prefixes of keys, and what follows each."""
    text, done = seen.text, 0
    words = seen.anchors.keys() & ANCHORS
    offsets = sorted(chain.from_iterable(seen.anchors[each] for each in words))
    for prefix in matches(PREFIX, offsets, text):
        if prefix.start() < done:
            continue
        # A prefix that ends with a letter needs a body in one piece, without full stops.
        most = prefix.end() + LONGEST if prefix[0][-1:].isalnum() else len(text)
        body = BODY.match(text, prefix.end(), most)
        if body is not None:
            # No part of a long word is looked at again, whether it is a key or none.
            done = body.end() if len(body[0]) > LONGEST else done
            yield prefix, body


def _is_key_body(prefix: bytes, body: bytes) -> bool:
    """Returns whether what follows a prefix that no other word has is a key."""
    if body.startswith(STARS):
        return True
    least, body = 43 if prefix == OWN else LEAST_BODY, body.rstrip(b"=")
    return len(body) >= least and (
        not consists_of_words(body) or (len(body) >= 20 and body.isalpha())
    )


def _is_key_after(prefix: bytes, body: bytes, *, whole: bool) -> bool:
    """Returns whether what follows a prefix is a key. `whole`: the prefix begins its word."""
    if prefix[-1:].isalnum():
        # Four letters are in many a word, and in any data: here the body has to be one piece.
        body = body.rstrip(b"=")
        alike = body.isalnum() and (_DIGIT.search(body) is not None or body.isupper())
        return whole and ((alike and len(body) >= LEAST_BODY) or STARS in body)
    return _is_key_body(prefix, body)


def _rest_in_next_line(text: bytes, prefix: bytes, body: re.Match[bytes]) -> tuple[int, int] | None:
    """Returns the rest of a key that was cut at the end of a line, before there was enough of it to
    know it.
    """
    gap = LINE_END.match(text, body.end()) if len(body[0]) <= LONGEST else None
    if gap is None or BEGINS.match(text, gap.end()):
        return None
    word = BODY.match(text, gap.end(), gap.end() + LONGEST)
    if word is None or len(word[0]) < RUN or consists_of_words(word[0]):
        return None
    if not _is_key_body(prefix, body[0] + word[0]):
        return None
    return word.start() + plain_start(word[0]), word.end()
