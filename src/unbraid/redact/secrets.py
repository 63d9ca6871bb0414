"""Finds secrets in text, and replaces each by as many stars.

Offsets stay true, and a secret is still known as one: redacting again changes nothing, and what
follows eight stars belongs to them. Three ways lead to a secret: the rules of a maintained scanner
(`rules`), a name or a scheme before it (`named`), and random characters (`entropy`).

Most patterns begin with a word that most text does not have: which of these words, the anchors, are
there is found out first, for all of them at once (`anchors`). No pattern is tried on text of more
than a few hundred bytes at once, but those that begin with a literal and are bounded.

Text that grows can be shown as far as it is decided. A word is undecided until it has ended, unless
it is a plain one: what is plain at the beginning of a word is never redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from unbraid.redact import commands, named_secrets, schemes, tables, tokens, view, words
from unbraid.redact.anchors import Present, finder
from unbraid.redact.entropy import consists_of_words, known_id, plain_start
from unbraid.redact.key_prefixes import BEGINS, BODY, EIGHT, PREFIX, PREFIXES, SHAPES
from unbraid.redact.tokens import JWT_OPEN, LONGEST, SK_OPEN
from unbraid.redact.view import View, views, whole_escapes
from unbraid.redact.words import LINE_BREAK, WORD, cut_before

_LINE_END = re.compile(LINE_BREAK)
_WORD_END = re.compile(rb"\\|[\n\r\"'`<]|\Z")
_TAIL = 4 * LONGEST
_ANCHORS = (
    view.ANCHORS
    | view.ENCODED
    | named_secrets.ANCHORS
    | schemes.ANCHORS
    | commands.ANCHORS
    | tokens.ANCHORS
    | words.ANCHORS
    | tables.ANCHORS
)

Ranges = list[tuple[int, int]]


@lru_cache(maxsize=8)
def anchors_with(more: frozenset[bytes]) -> Present:
    """Returns what finds the anchors and other words that a text in small letters has."""
    return finder(_ANCHORS | more)


_anchors = anchors_with(frozenset())


def rule_words() -> frozenset[bytes]:
    """Returns the words with which rules begin, and the prefixes of keys."""
    return _ANCHORS | {*PREFIXES} | {*SHAPES.words}


def redact(
    data: bytes, anchors: frozenset[bytes] | None = None, lower: bytes | None = None
) -> bytes:
    """Returns the same bytes with every secret replaced by as many stars. `lower` and `anchors`, if
    they are known: the bytes in small letters, and which anchors they may have.
    """
    return hidden(data, secret_ranges(data, anchors, lower))


def hidden(data: bytes, ranges: Ranges) -> bytes:
    """Returns the same bytes with stars where secrets are."""
    parts, at = [], 0
    for start, end in ranges:
        # Lines stay lines: a key that was printed over several of them is hidden in each.
        stars = b"\n".join(b"*" * len(line) for line in data[start:end].split(b"\n"))
        parts += [data[at:start], stars]
        at = end
    return b"".join([*parts, data[at:]]) if at else data


def secret_ranges(
    data: bytes, anchors: frozenset[bytes] | None = None, lower: bytes | None = None
) -> Ranges:
    """Returns where secrets are."""
    lower = data.lower() if lower is None else lower
    anchors = _anchors(lower) if anchors is None else anchors
    found: Ranges = []
    for seen in views(data, anchors):
        there = (lower, anchors)
        if seen.text is not data:
            there = (seen.text.lower(), _anchors(seen.text.lower()))
        found += [
            (seen.offset(first), seen.end(last - 1))
            for first, last in _found(seen.text, *there)
            if last > first
        ]
    if not found:
        return []
    merged: Ranges = []
    for first, last in sorted(found):
        start, end = whole_escapes(data, first, last)
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        elif end > start:
            merged.append((start, end))
    return merged


def undecided_from(data: bytes) -> int | None:
    """Returns where something begins that more bytes at the end could make a secret."""
    offset = max(0, len(data) - _TAIL)
    tail = data[offset:]
    starts = [_undecided_in(seen) for seen in views(tail, _anchors(tail.lower()))]
    known = [start for start in starts if start is not None]
    return offset + min(known) if known else None


def _undecided_in(seen: View) -> int | None:
    text = seen.text
    end = text[-LONGEST - 64 :]
    starts = [_undecided_word(text), named_secrets.open_value(end, _anchors(end.lower()))]
    if starts[1] is not None:
        starts[1] += max(0, len(text) - LONGEST - 64)
    lower = text.lower()
    starts += tables.open_value(text, lower, _anchors(lower))
    known = [start for start in starts if start is not None and start < len(text)]
    return seen.offset(min(known)) if known else None


def redact_words(text: str, *, cut: bool) -> str:
    """Returns text with its secrets redacted; less of it, if it was cut within what may be one."""
    data = redact(text.encode(errors="replace"))
    if cut and (start := undecided_from(data)) is not None:
        data = data[:start].rstrip(WORD)
    return data.decode(errors="ignore")


def _undecided_word(text: bytes) -> int | None:
    start = len(text.rstrip(WORD + b".="))
    token = text.find(b"eyJ", start)
    if token >= 0 and JWT_OPEN.match(text, token):
        return token + 3
    if len(text) - start >= LONGEST:
        return None
    if text[:start].endswith(EIGHT):
        # It belongs to a secret that is known. Only what follows a full stop may not.
        dot = text.find(b".", start)
        return None if dot < 0 else dot
    # A letter after a backslash is an escape.
    start += text[start - 1 : start] == b"\\" and start < len(text)
    # A key that was cut at the end of a line continues here.
    before = cut_before(text, start)
    if (
        before is not None
        and (prefix := PREFIX.search(text, *before.span("word")))
        and not BEGINS.match(text, start)
    ):
        return prefix.end()
    ended = text[start:].rstrip(b"=")
    run = start + max(ended.rfind(b"."), ended.rfind(b"=")) + 1
    first = min(start + plain_start(text[start:]), run + plain_start(text[run:]))
    if (prefix := PREFIX.search(text, start) or SK_OPEN.search(text, start)) is not None:
        first = min(first, prefix.end())
    return first if first < len(text) else None


def _found(text: bytes, lower: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    ends: set[int] = set()
    for found in chain(
        named_secrets.ranges(text, lower, anchors),
        schemes.ranges(text, lower, anchors),
        commands.ranges(text, anchors),
        tables.ranges(text, lower, anchors),
        tokens.ranges(text, anchors),
        words.ranges(text, anchors),
    ):
        yield found
        yield from _continued(text, found[1], ends)


def _continued(text: bytes, end: int, ends: set[int]) -> Iterator[tuple[int, int]]:
    """Yields the rest of a secret that continues in the next lines, each of one word alone. No line
    is looked at again for the secret before it: `ends` has those from which this has looked.
    """
    while end not in ends and (gap := _LINE_END.match(text, end)) is not None:
        ends.add(end)
        word = BODY.match(text, gap.end())
        if word is None or len(word[0]) < 8 or consists_of_words(word[0]) or known_id(word[0]):
            return
        if BEGINS.match(text, word.start()):
            return  # another one
        end = word.end()
        if not _WORD_END.match(text, end):
            return
        yield word.start() + plain_start(word[0]), end
