"""Finds secrets in text, and replaces each by as many stars.

Offsets stay true, and a secret is still known as one: redacting again changes nothing, and what
follows eight stars belongs to them. Three ways lead to a secret: how it begins (`keys`), what
introduces it (`named_secrets`, `introduced`, `tables`), and random characters (`entropy`). How all
of these look is data, in `rules/`.

The time is linear in the text. Most patterns begin with a word that most text does not have: which
of these words, the anchors, are there is found out first, for all of them at once (`anchors`). What
begins at an anchor looks at a bounded number of bytes, or consumes what it has looked at. Nearly
every other secret has a run of thirteen letters, digits and a few signs, and most text has few of
those. They are found with `bytes.translate` and a literal pattern, far faster than with any other,
and each is judged by itself, with a little of what stands before it. Most are words that were there
before, or ids; only the others are looked at.

Text that grows can be shown as far as it is decided. A word is undecided until it has ended, unless
it is a plain one: what is plain at the beginning of a word is never redacted.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from unbraid.redact import introduced, keys, named_secrets, tables, view
from unbraid.redact.anchors import Anchors, Present, finder
from unbraid.redact.entropy import (
    STARS,
    consists_of_words,
    is_labelled_key,
    known_id,
    named_id,
    plain_path,
    plain_start,
    random,
    words_and_ids,
)
from unbraid.redact.keys import (
    BEGINS,
    BODY,
    LINE_END,
    LONGEST,
    RUN,
)
from unbraid.redact.rules import RULES
from unbraid.redact.view import View, views, whole_escapes

# How far a rule looks back and ahead.
WINDOW = 96
# Of data in base64, so much is looked into.
MAX_ENCODED = 64 << 10
MAX_KNOWN = 8192
# Of capital letters and digits alone, which are many a name, too.
NATS_SEED_CHARS = 58
# Not the hyphen: without it the parts of a UUID, of which there are many, are too short to be runs.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/"
_WORD = _LETTERS + b"-"
_RUNS = bytes(97 if each in _LETTERS else each if each in b'":' else 32 for each in range(256))
# What is followed by `":` is the name of a field, and no secret, unless it begins like a key.
_RUN = re.compile(b"a" * RUN + b'a*+(?!":)')
# The ids of agents, messages and calls, and hashes, with the character before them: each is new.
# Hashes of 32 digits may be keys.
_PLAIN_ID = re.compile(
    rb"[^-.$\\](?:(?:toolu|msg|req|call|ses|prt)_[0-9A-Za-z]{1,64}|(?![0-9a-f]{32}\Z)[0-9a-f]{1,512})"
)
_BACKSLASH = ord("\\")
_EXCUSE = RULES.part("EXCUSE")
_span = re.Match.span

# Words that are no secrets, each with the character before it.
_known: set[bytes] = set()

_WORD_END = re.compile(rb"\\|[\n\r\"'`<]|\Z")
# Keys that look like a hash, by what stands behind them or before them.
_HEX_KEY = re.compile(
    rb"(?P<lead>(?<=key-)(?<![A-Za-z0-9_]key-)|(?<=[0-9]{13}:)|(?<=[0-9a-z*]{16}\$))?[0-9a-f]{32}"
    rb"(?(lead)|(?:-us[0-9]{1,2}|-[0-9a-f]{8}-[0-9a-f]{8}))(?![0-9A-Za-z-])"
)
_REST = re.compile(rb"(?:[A-Za-z0-9_+/]|-(?!----))*")
# Certificates and public keys, which look like secrets.
_PUBLIC = re.compile(
    rb"-----BEGIN (?:[A-Z0-9 ]{0,40}(?:CERTIFICATE|PUBLIC KEY|SIGNATURE|REQUEST|PUBLIC KEY BLOCK"
    rb"|MESSAGE))-----[^\"\-]+"
)
_TAIL = 4 * LONGEST
# Each finds secrets of a form, and what more text may make one.
_FORMS = (keys, named_secrets, introduced, tables)
_ANCHORS = view.ANCHORS.union(view.ENCODED, *(form.ANCHORS for form in _FORMS))

Ranges = list[tuple[int, int]]


@lru_cache(maxsize=8)
def anchors_with(more: frozenset[bytes]) -> Present:
    """Returns what finds the anchors and other words that a text in small letters has."""
    return finder(_ANCHORS | more)


_anchors = anchors_with(frozenset())


def rule_words() -> frozenset[bytes]:
    """Returns the words with which rules begin, and the prefixes of keys."""
    return _ANCHORS | {*RULES.prefixes} | RULES.shapes.words


def redact(data: bytes, anchors: Anchors | None = None, lower: bytes | None = None) -> bytes:
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
    data: bytes, anchors: Anchors | None = None, lower: bytes | None = None
) -> Ranges:
    """Returns where secrets are."""
    found = [
        (seen.offset(first), seen.end(last - 1))
        for seen in views(data, _anchors, lower, anchors)
        for first, last in _found(seen)
        if last > first
    ]
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
    starts = [
        seen.offset(start)
        for seen in views(tail, _anchors)
        for start in _undecided(seen)
        if start < len(seen.text)
    ]
    return offset + min(starts) if starts else None


def _undecided(seen: View) -> Iterator[int]:
    for form in _FORMS:
        yield from form.open_values(seen)
    start = _undecided_word(seen.text)
    if start is not None:
        yield start


def redact_words(text: str, *, cut: bool) -> str:
    """Returns text with its secrets redacted; less of it, if it was cut within what may be one."""
    data = redact(text.encode(errors="replace"))
    if cut and (start := undecided_from(data)) is not None:
        data = data[:start].rstrip(_WORD)
    return data.decode(errors="ignore")


def _undecided_word(text: bytes) -> int | None:
    start = len(text.rstrip(_WORD + b".="))
    if len(text) - start >= LONGEST:
        return None
    if text[:start].endswith(STARS):
        # It belongs to a secret that is known. Only what follows a full stop may not.
        dot = text.find(b".", start)
        return None if dot < 0 else dot
    # A letter after a backslash is an escape.
    start += text[start - 1 : start] == b"\\" and start < len(text)
    ended = text[start:].rstrip(b"=")
    run = start + max(ended.rfind(b"."), ended.rfind(b"=")) + 1
    first = min(start + plain_start(text[start:]), run + plain_start(text[run:]))
    return first if first < len(text) else None


def _found(seen: View) -> Iterator[tuple[int, int]]:
    ends: set[int] = set()
    by_prefix = list(keys.ranges(seen))
    others = (form.ranges(seen) for form in _FORMS if form is not keys)
    for found in chain(by_prefix, *others, _word_ranges(seen, by_prefix)):
        yield found
        yield from _continued(seen.text, found[1], ends)


def _continued(text: bytes, end: int, ends: set[int]) -> Iterator[tuple[int, int]]:
    """Yields the rest of a secret that continues in the next lines, each of one word alone. No line
    is looked at again for the secret before it: `ends` has those from which this has looked.
    """
    while end not in ends and (gap := LINE_END.match(text, end)) is not None:
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


# --- words that are long enough for a secret ---


def _word_ranges(seen: View, by_prefix: Ranges) -> Iterator[tuple[int, int]]:
    """Yields the secrets among words that are long enough for one, but for those `by_prefix`."""
    text = seen.text
    # One character before the text, so that each word has one before it.
    padded, done, plain_id, known = b" " + text, 0, _PLAIN_ID.fullmatch, _known
    excused: Ranges | None = None
    if len(known) >= MAX_KNOWN:
        known.clear()
    strange = [
        (start - 1, end)
        for start, end in map(_span, _RUN.finditer(padded.translate(_RUNS)))
        # The same words are everywhere, and each id is new: nearly all end here.
        if (word := padded[start - 1 : end]) not in known and not plain_id(word)
    ]
    for start, last in strange:
        if start < done or (word := padded[start:last]) in known:
            continue
        # A letter after a backslash is an escape.
        start += word[0] == _BACKSLASH
        end = done = last - 1
        run = text[start:end]
        if len(run) <= LONGEST and _is_plain(run):
            if (key := _HEX_KEY.match(text, start)) is not None:
                yield start + plain_start(run), key.end()
            elif len(run) != 32 and len(known) < MAX_KNOWN:
                known.add(word)
            continue
        # The whole word, hyphens and all.
        start = _word_start(text, start)
        if (rest := _REST.match(text, end)) is not None:
            end = done = rest.end()
        if excused is None:
            excused = sorted([*by_prefix, *_public_blocks(seen)])
        other = bisect_left(excused, (end,)) - 1
        if other < 0 or start >= excused[other][1]:
            for found in _judged(text, start, end):
                done = max(done, found[1])  # a key may have full stops in it
                yield found


def _public_blocks(seen: View) -> Ranges:
    if b"-----begin" not in seen.anchors:
        return []
    return [found.span() for found in _PUBLIC.finditer(seen.text)]


def _word_start(text: bytes, end: int) -> int:
    """Returns where the word begins, hyphens and all, that goes on at an offset."""
    if text[end - 1 : end] != b"-":
        return end
    head = text[max(0, end - 64) : end]
    start = end - len(head[len(head.rstrip(_WORD)) :].rpartition(b"-----")[2])
    return start + (text[start - 1 : start] == b"\\")


@lru_cache(maxsize=8192)
def _is_plain(run: bytes) -> bool:
    """Returns whether a run is no secret, and no part of one."""
    if b"_" in run and is_labelled_key(run):
        return False
    if len(run) == NATS_SEED_CHARS and run.isupper():
        return False
    return known_id(run) or consists_of_words(run) or words_and_ids(run) or plain_path(run)


def _judged(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    word = text[start:end]
    shown = start + plain_start(word[:LONGEST])
    if len(word) <= LONGEST:
        shift = max(0, start - WINDOW)
        for first, last in RULES.shapes.ranges(text[shift : end + WINDOW]):
            if shift + first < end and shift + last > start:
                yield max(shown, shift + first), shift + last
    padding = len(text[end : end + 2]) - len(text[end : end + 2].lstrip(b"="))
    for first, last in _by_chance(word) if len(word) <= 4 * LONGEST else ():
        if not _EXCUSE.search(text, max(0, start - WINDOW), start):
            yield start + first + plain_start(word[first:last]), start + last + padding
    if _encodes_secret(word[:MAX_ENCODED]):
        yield shown, end + padding


@lru_cache(maxsize=8192)
def _by_chance(word: bytes) -> tuple[tuple[int, int], ...]:
    parts, at, found = word.split(b"/"), 0, list[tuple[int, int]]()
    if random(word) and not (len(parts) > 2 and any(map(named_id, parts))):
        return ((0, len(word)),)
    if len(parts) == 1:
        return ()
    if 2 * sum(map(consists_of_words, parts)) < len(parts):
        return ()  # data, not a path
    for part in parts:
        if random(part):
            found.append((at, at + len(part)))
        at += len(part) + 1
    return tuple(found)


@lru_cache(maxsize=64)
def _encodes_secret(word: bytes) -> bool:
    """Returns whether it is base64 of text with a secret in it."""
    if len(word) < 24:
        return False
    standard = word.replace(b"-", b"+").replace(b"_", b"/")
    try:
        head = b64decode(standard[:32])
    except (Error, ValueError):
        return False
    # Pictures and programs end here: data that is no text.
    if not all(32 <= each < 127 or each in b"\n\r\t" for each in head):
        return False
    try:
        decoded = b64decode(standard[: len(standard) // 4 * 4])
    except (Error, ValueError):
        return False
    seen = View(decoded, lower := decoded.lower(), _anchors(lower))
    return any(found for form in _FORMS for found in form.ranges(seen))
