"""Secrets among the words of a text that are long enough for one.

Nearly every secret has a run of thirteen letters, digits and a few signs, and most text has few of
those. They are found with `bytes.translate` and a literal pattern, far faster than with any other,
and each is judged by itself, with a little of what stands before it. Most are words that were there
before, or ids; only the others are looked at.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from unbraid.redact import commands, named_secrets, schemes, tokens
from unbraid.redact.anchors import finder
from unbraid.redact.entropy import (
    consists_of_words,
    is_labelled_key,
    known_id,
    named_id,
    plain_path,
    plain_start,
    random,
    words_and_ids,
)
from unbraid.redact.key_prefixes import (
    BEGINS,
    BODY,
    HEADS,
    PREFIX,
    PREFIX_AT_END,
    PREFIXES,
    SHAPES,
    is_key_after,
    is_key_body,
)
from unbraid.redact.tokens import LONGEST

RUN = 13
# How far a rule looks back and ahead.
WINDOW = 96
# Of data in base64, so much is looked into.
MAX_ENCODED = 64 << 10
MAX_KNOWN = 8192
# Of capital letters and digits alone, which are many a name, too.
NATS_SEED_CHARS = 58
LINE_BREAK = rb"[ \t]*(?:[\n\r]|\\+(?:[nr]|\Z))+(?:[ \t]|\\t){0,16}(?:[>|] )?"

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
ANCHORS = _JOINED_ANCHORS | _SECRET_NAMES
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What looks made by chance and is no secret, by what stands before it.
_EXCUSED = re.compile(
    rb"(?:[\"'](?:[A-Za-z_\-]*(?:[iI]ds?|ID|[uU]uid|UUID|[hH]ash|sha\d*|[sS]um|[dD]igest|[eE][tT]ag"
    rb"|[sS]ignature|[iI]ntegrity|[cC]ursor|encrypted_content|[dD]ata|blob|[vV]ersion|revision|commit"
    rb"|[fF]ingerprint|resolved|snapshot|mappings|[nN]once|source|src|model|name|slug|path|file))"
    rb"[\"'\\]*\s*[:=]\s*[\"'\\]*|base64,\s?|h1:|sha\d+[-:=]"
    rb"|[iI]ntegrity[:= \"']+|[cC]hecksum[:= \"']+"
    rb"|rev[:= \"']+|ssh-(?:rsa|ed25519) |#|@|\$)\Z"
)
_CUT_SECRET = re.compile(rb"(?P<word>[A-Za-z0-9_\-+/.]{1,64})" + LINE_BREAK + rb"\Z")
_LINE_ENDS = (b"\n", b"\r", b"\\n", b"\\r", b"\\t", b"\\")
_REST = re.compile(rb"(?:[A-Za-z0-9_+/]|-(?!----))*")
WORD = _LETTERS + b"-"
_span = re.Match.span
_anchors = finder(named_secrets.ANCHORS | schemes.ANCHORS | tokens.ANCHORS)

# Words that are no secrets, each with the character before it, where no prefix ends with a full
# stop, and anywhere.
_known: set[bytes] = set()
_known_anywhere: set[bytes] = set()


def ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
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
    start = end - len(head[len(head.rstrip(WORD)) :].rpartition(b"-----")[2])
    return start + (text[start - 1 : start] == b"\\")


def _is_uuid(text: bytes, start: int) -> bool:
    """Returns whether the run is the last part of a UUID, perhaps with more behind it."""
    return _UUID.match(text, max(0, start - 24)) is not None


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


def cut_before(text: bytes, start: int) -> re.Match[bytes] | None:
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
    before = cut_before(text, start)
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
        *tokens.ranges(decoded, anchors),
    )
    return bool(found) or any(
        (body := BODY.match(decoded, prefix.end())) and is_key_after(prefix[0], body[0], whole=True)
        for prefix in PREFIX.finditer(decoded)
    )
