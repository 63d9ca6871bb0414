"""Finds secrets in text, and replaces each by as many stars.

Offsets stay true, and a secret is still known as one: redacting again changes nothing, and what
follows eight stars belongs to them. Three ways lead to a secret: the rules of a maintained scanner
(`keys`), a name or a scheme before it, and random characters (`entropy`).

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
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from unbraid.redact import commands, keys, named_secrets, schemes, tables, view
from unbraid.redact.anchors import Present, finder
from unbraid.redact.entropy import (
    STARS,
    UUID,
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
    HEADS,
    JWT_OPEN,
    LONGEST,
    PREFIX,
    PREFIX_AT_END,
    PREFIXES,
    SHAPES,
    SK_OPEN,
    is_key_after,
    is_key_body,
)
from unbraid.redact.view import View, views, whole_escapes

RUN = 13
# How far a rule looks back and ahead.
WINDOW = 96
# Of data in base64, so much is looked into.
MAX_ENCODED = 64 << 10
MAX_KNOWN = 8192
# Of capital letters and digits alone, which are many a name, too.
NATS_SEED_CHARS = 58
_LINE_BREAK = rb"[ \t]*(?:[\n\r]|\\+(?:[nr]|\Z))+(?:[ \t]|\\t){0,16}(?:[>|] )?"

# Not the hyphen: without it the parts of a UUID, of which there are many, are too short to be runs.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/"
_RUNS = bytes(97 if each in _LETTERS else each if each in b'":' else 32 for each in range(256))
_RUN = re.compile(b"a" * RUN + b"a*+")
# Most are the names of fields, and no secrets, unless they begin like one.
_NO_NAME = re.compile(_RUN.pattern + b'(?!":)')
# The ids of agents, messages and calls, and hashes, with the character before them: each is new.
# Hashes of 32 digits may be keys.
_PLAIN_ID = re.compile(
    rb"[^-.$\\](?:(?:toolu|msg|req|call|ses|prt)_[0-9A-Za-z]{1,64}|(?![0-9a-f]{32}\Z)[0-9a-f]{1,512})"
)
# Before a run: hyphens join it to more of its word, the others may end the prefix of a secret.
_JOINTS = frozenset(b"-.$")
_BACKSLASH, _HYPHEN = b"\\-"
_JOINED = tuple(prefix for prefix in PREFIXES if prefix[-1] in b".$")
# In small letters: one of them is in each text with a run behind such a prefix.
_JOINED_ANCHORS = frozenset(prefix.lower() for prefix in _JOINED)
# One of them is in each text that has a field named like a secret.
_SECRET_NAMES = frozenset(b'"' + prefix.lower() for prefix in PREFIXES)
# What looks made by chance and is no secret, by what stands before it.
_EXCUSED = re.compile(
    rb"(?:[\"'](?:[A-Za-z_\-]*(?:[iI]ds?|ID|[uU]uid|UUID|[hH]ash|sha\d*|[sS]um|[dD]igest|[eE][tT]ag"
    rb"|[sS]ignature|[iI]ntegrity|[cC]ursor|encrypted_content|[dD]ata|blob|[vV]ersion|revision|commit"
    rb"|[fF]ingerprint|resolved|snapshot|mappings|[nN]once|source|src|model|name|slug|path|file))"
    rb"[\"'\\]*\s*[:=]\s*[\"'\\]*|base64,\s?|h1:|sha\d+[-:=]"
    rb"|[iI]ntegrity[:= \"']+|[cC]hecksum[:= \"']+"
    rb"|rev[:= \"']+|ssh-(?:rsa|ed25519) |#|@|\$)\Z"
)
_CUT_SECRET = re.compile(rb"(?P<word>[A-Za-z0-9_\-+/.]{1,64})" + _LINE_BREAK + rb"\Z")
_LINE_ENDS = (b"\n", b"\r", b"\\n", b"\\r", b"\\t", b"\\")
_REST = re.compile(rb"(?:[A-Za-z0-9_+/]|-(?!----))*")
_WORD = _LETTERS + b"-"
_span = re.Match.span

# Words that are no secrets, each with the character before it, where no prefix ends with a full
# stop, and anywhere.
_known: set[bytes] = set()
_known_anywhere: set[bytes] = set()

_LINE_END = re.compile(_LINE_BREAK)
_WORD_END = re.compile(rb"\\|[\n\r\"'`<]|\Z")
_TAIL = 4 * LONGEST
_ANCHORS = (
    view.ANCHORS
    | view.ENCODED
    | named_secrets.ANCHORS
    | schemes.ANCHORS
    | commands.ANCHORS
    | keys.ANCHORS
    | _JOINED_ANCHORS
    | _SECRET_NAMES
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
        data = data[:start].rstrip(_WORD)
    return data.decode(errors="ignore")


def _undecided_word(text: bytes) -> int | None:
    start = len(text.rstrip(_WORD + b".="))
    token = text.find(b"eyJ", start)
    if token >= 0 and JWT_OPEN.match(text, token):
        return token + 3
    if len(text) - start >= LONGEST:
        return None
    if text[:start].endswith(STARS):
        # It belongs to a secret that is known. Only what follows a full stop may not.
        dot = text.find(b".", start)
        return None if dot < 0 else dot
    # A letter after a backslash is an escape.
    start += text[start - 1 : start] == b"\\" and start < len(text)
    # A key that was cut at the end of a line continues here.
    before = _cut_before(text, start)
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
        keys.ranges(text, anchors),
        _word_ranges(text, anchors),
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


# --- words that are long enough for a secret ---


def _word_ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields the secrets among words that are long enough for one."""
    # One character before the text, so that each word has one before it.
    padded, done, public, plain_id = b" " + text, 0, None, _PLAIN_ID.fullmatch
    # Where a prefix may end with a full stop, nothing is known of a word behind one.
    joints, known = _JOINTS, _known_anywhere
    if anchors.isdisjoint(_JOINED_ANCHORS):
        joints, known = frozenset((_HYPHEN,)), _known
    if len(known) >= MAX_KNOWN:
        known.clear()
    runs = _NO_NAME if anchors.isdisjoint(_SECRET_NAMES) else _RUN
    strange = [
        (start - 1, end)
        for start, end in map(_span, runs.finditer(padded.translate(_RUNS)))
        # The same words are everywhere, and each id is new: nearly all end here.
        if (word := padded[start - 1 : end]) not in known and not plain_id(word)
    ]
    for start, last in strange:
        if start < done or (word := padded[start:last]) in known:
            continue
        before, end, is_id = word[0], last - 1, False
        if before == _BACKSLASH:
            start += 1
        elif is_id := before == _HYPHEN and _is_uuid(text, start):
            start += 12
        run, led = text[start:end], before in _JOINTS and _led(text, start, before)
        is_path = is_id or before != _HYPHEN
        if not led and len(run) <= LONGEST and (_dull(run) or (is_path and plain_path(run))):
            if end - start == 32:
                if (key := commands.hex_key_end(text, start, end)) is not None:
                    yield start + plain_start(run), key
            elif before not in joints and len(known) < MAX_KNOWN:
                known.add(word)
            continue
        if public is None:
            public = schemes.public_blocks(text, anchors)
        block = bisect_right(public, (start, len(text))) - 1
        if block < 0 or start >= public[block][1]:
            # The whole word, hyphens and all.
            first = _word_start(text, start) if before == _HYPHEN else start
            rest = _REST.match(text, end)
            done = end = rest.end() if rest else end
            for found in _judged(text, first, end):
                done = max(done, found[1])  # a key may have full stops in it
                yield found


def _word_start(text: bytes, end: int) -> int:
    """Returns where the word begins, hyphens and all, that goes on at an offset."""
    head = text[max(0, end - 64) : end]
    start = end - len(head[len(head.rstrip(_WORD)) :].rpartition(b"-----")[2])
    return start + (text[start - 1 : start] == b"\\")


def _is_uuid(text: bytes, start: int) -> bool:
    """Returns whether the run is the last part of a UUID, perhaps with more behind it."""
    return UUID.match(text, max(0, start - 24)) is not None


def _led(text: bytes, start: int, before: int) -> bool:
    """Returns whether a run may belong to a prefix before it."""
    if before == _HYPHEN:
        first = _word_start(text, start)
        return text[first : first + 3] in HEADS
    if not text.endswith(_JOINED, 0, start):
        return False
    return PREFIX_AT_END.search(text, max(0, start - 32), start) is not None


@lru_cache(maxsize=8192)
def _dull(word: bytes) -> bool:
    """Returns whether a word is no secret, whatever stands before it."""
    if (
        word[:3] in HEADS or (b"/" in word and any(part[:3] in HEADS for part in word.split(b"/")))
    ) and PREFIX.search(word):
        return False
    if b"_" in word and is_labelled_key(word):
        return False
    if len(word) == NATS_SEED_CHARS and word.isupper():
        return False
    return known_id(word) or consists_of_words(word) or words_and_ids(word)


def _cut_before(text: bytes, start: int) -> re.Match[bytes] | None:
    """Returns the word at the end of the line before, if a line begins here."""
    # Seldom, and the pattern takes long to find that out.
    if not text[max(0, start - WINDOW) : start].rstrip(b" \t>|").endswith(_LINE_ENDS):
        return None
    return _CUT_SECRET.search(text, max(0, start - WINDOW), start)


def _judged(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    word, known, done = text[start:end], False, 0
    shown = start + plain_start(word[:LONGEST])
    for prefix in PREFIX.finditer(text, max(0, start - 24), min(end, start + LONGEST)):
        if prefix.start() < done:
            continue
        # A prefix that ends with a letter needs a body in one piece, without full stops.
        most = len(text) if not prefix[0][-1:].isalnum() else prefix.end() + LONGEST
        body = BODY.match(text, prefix.end(), most)
        # Of a long word that is no key no part is one: it is not looked at again.
        done = body.end() if body and len(body[0]) > LONGEST else done
        if body is not None and is_key_after(prefix[0], body[0], whole=prefix.start() == start):
            known = True
            yield body.span()
    if known:
        return
    if len(word) <= LONGEST:
        shift = max(0, start - WINDOW)
        for first, last in SHAPES.ranges(text[shift : end + WINDOW]):
            if shift + first < end and shift + last > start:
                yield max(shown, shift + first), shift + last
    padding = len(text[end : end + 2]) - len(text[end : end + 2].lstrip(b"="))
    for first, last in _by_chance(word) if len(word) <= 4 * LONGEST else ():
        if not _EXCUSED.search(text, max(0, start - WINDOW), start):
            yield start + first + plain_start(word[first:last]), start + last + padding
    if _encodes_secret(word[:MAX_ENCODED]):
        yield shown, end + padding
    # A key that was cut at the end of a line, before there was enough of it to know it.
    before = _cut_before(text, start)
    if before is not None and not consists_of_words(word) and not BEGINS.match(text, start):
        for prefix in PREFIX.finditer(text, *before.span("word")):
            begun = text[prefix.end() : before.end("word")]
            if is_key_body(prefix[0], begun + word) and not is_key_body(prefix[0], begun):
                yield prefix.end(), before.end("word")
                yield shown, end


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
    lower = decoded.lower()
    anchors = _anchors(lower)
    found = (
        *named_secrets.ranges(decoded, lower, anchors),
        *schemes.ranges(decoded, lower, anchors),
        *keys.ranges(decoded, anchors),
    )
    return bool(found) or any(
        (body := BODY.match(decoded, prefix.end())) and is_key_after(prefix[0], body[0], whole=True)
        for prefix in PREFIX.finditer(decoded)
    )
