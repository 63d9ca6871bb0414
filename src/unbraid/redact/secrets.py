"""Finds secrets in text, and replaces each by as many stars.

Offsets stay true, and a secret is still known as one: redacting again changes nothing, and what
follows eight stars belongs to them. Three ways lead to a secret: the rules of a maintained scanner
(`rules`), a name or a scheme before it (`named`), and chance (`entropy`).

Nearly every secret has a run of thirteen letters, digits and a few signs, and most text has few of
those. They are found with `bytes.translate` and `bytes.find`, far faster than with any pattern,
and each is judged by itself, with a little of what stands before it. No pattern is tried on text of
more than a few hundred bytes at once, but those that begin with a literal and are bounded.

Text that grows can be shown as far as it is decided. A word is undecided until it has ended, unless
it is a plain one: what is plain at the beginning of a word is never redacted.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from unbraid.redact import commands, named
from unbraid.redact.entropy import (
    known_id,
    named_id,
    plain_start,
    random,
    telling,
    words_and_ids,
    wordy,
)
from unbraid.redact.rules import alternation, load
from unbraid.redact.view import View, whole_escapes

# What is still undecided after so many characters is decided as it stands.
LONGEST = 512
RUN = 13
LEAST_BODY = 12
# How far a rule looks back and ahead.
WINDOW = 96
# Of data in base64, so much is looked into.
MAX_ENCODED = 64 << 10

# Not the hyphen: without it the parts of a UUID, of which there are many, are too short to be runs.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/"
_RUNS = bytes(97 if each in _LETTERS else 32 for each in range(256))
# Before a run: hyphens join it to more of its word, the others may end the lead of a secret.
_JOINTS = frozenset(b"-.$")
_BACKSLASH, _HYPHEN = b"\\-"
_OWN = b"unbraid_"
# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
_EDGE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"
_NEWLINE = rb"[ \t]*(?:[\n\r]|\\+(?:[nr]|\Z))+(?:[ \t]|\\t){0,16}(?:[>|] )?"

_LEADS, _SHAPES = load()
_LEAD = re.compile(_EDGE + alternation(_LEADS))
_LED = re.compile(_LEAD.pattern + rb"\Z")
_BEGINS = re.compile(_LEAD.pattern + rb"|sk-|eyJ")
_HEADS = frozenset(lead[:3] for lead in _LEADS)
_BODY = re.compile(rb"(?:\*{8,})?(?:[A-Za-z0-9_+/~]|-(?!----)|\.(?=[A-Za-z0-9_]))*={0,2}")
_SK = re.compile(_EDGE + rb"sk-(?P<value>\*{8,}[A-Za-z0-9]*|[A-Za-z0-9]{20,})")
_SK_OPEN = re.compile(_EDGE + rb"sk-")
# These may have no run that is long enough.
_HYPHENATED = tuple(re.compile(lead) for lead in (rb"sk-", rb"xox[a-z]", rb"unbraid_"))
_B = rb"[A-Za-z0-9_\-]"
_JWT = re.compile(
    rb"eyJ(?P<value>\*{8,}[A-Za-z0-9_\-.=]*"
    rb"|(?:%b){10,}\.(?:%b){10,}\.(?:%b){10,}=*|(?:%b){%d,}|(?:%b){10,}\.(?:%b){%d,})"
    % (_B, _B, _B, _B, LONGEST, _B, _B, LONGEST)
)
_PART = rb"%b{0,%d}" % (_B, LONGEST - 1)
_JWT_OPEN = re.compile(_EDGE + rb"eyJ%b(?:\.%b(?:\.%b{0,9})?)?\Z" % (_PART, _PART, _B))
_EIGHT = b"*" * 8
_STARS = re.compile(rb"\*{8,}")
_STARRED = re.compile(rb"(?:[A-Za-z0-9_+/~]|-(?!----))+={0,2}")
_DIGIT = re.compile(rb"[0-9]")
# What looks made by chance and is no secret, by what stands before it.
_EXCUSED = re.compile(
    rb"(?:[\"'](?:[A-Za-z_\-]*(?:[iI]ds?|ID|[uU]uid|UUID|[hH]ash|sha\d*|[sS]um|[dD]igest|[eE][tT]ag"
    rb"|[sS]ignature|[iI]ntegrity|[cC]ursor|encrypted_content|[dD]ata|blob|[vV]ersion|revision|commit"
    rb"|[fF]ingerprint|resolved|snapshot|mappings|[nN]once|source|src|model|name|slug|path|file))"
    rb"[\"'\\]*\s*[:=]\s*[\"'\\]*|base64,\s?|h1:|sha\d+[-:=]"
    rb"|[iI]ntegrity[:= \"']+|[cC]hecksum[:= \"']+"
    rb"|rev[:= \"']+|ssh-(?:rsa|ed25519) |#|@|\$)\Z"
)
_LINE_END = re.compile(_NEWLINE)
_WORD_END = re.compile(rb"\\|[\n\r\"'`<]|\Z")
_CUT_SECRET = re.compile(rb"(?P<word>[A-Za-z0-9_\-+/.]{1,64})" + _NEWLINE + rb"\Z")
_WORD_REST = re.compile(rb"(?:[A-Za-z0-9_+/]|-(?!----))*")
_WORD = _LETTERS + b"-"
_TAIL = 4 * LONGEST

Ranges = list[tuple[int, int]]


def redact(data: bytes) -> bytes:
    """Returns the same bytes with every secret replaced by as many stars."""
    parts, at = [], 0
    for start, end in secret_ranges(data):
        # Lines stay lines: a key that was printed over several of them is hidden in each.
        hidden = b"\n".join(b"*" * len(line) for line in data[start:end].split(b"\n"))
        parts += [data[at:start], hidden]
        at = end
    return b"".join([*parts, data[at:]]) if at else data


def secret_ranges(data: bytes) -> Ranges:
    """Returns where secrets are."""
    view = View(data)
    found = sorted(_found(view.text))
    if not found:
        return []
    merged: Ranges = []
    for first, last in found:
        if last <= first:
            continue
        start, end = whole_escapes(data, view.place(first), view.place(last - 1) + 1)
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        elif end > start:
            merged.append((start, end))
    return merged


def undecided_from(data: bytes) -> int | None:
    """Returns where something begins that more bytes at the end could make a secret."""
    offset = max(0, len(data) - _TAIL)
    view = View(data[offset:])
    text = view.text
    starts = [_undecided_word(text), named.open_value(text[-LONGEST - 64 :])]
    if starts[1] is not None:
        starts[1] += max(0, len(text) - LONGEST - 64)
    known = [start for start in starts if start is not None and start < len(text)]
    return offset + view.place(min(known)) if known else None


def redact_words(words: str, *, cut: bool) -> str:
    """Returns text with its secrets redacted; less of it, if it was cut within what may be one."""
    data = redact(words.encode(errors="replace"))
    if cut and (start := undecided_from(data)) is not None:
        data = data[:start].rstrip(_WORD)
    return data.decode(errors="ignore")


def _undecided_word(text: bytes) -> int | None:
    start = len(text.rstrip(_WORD + b".="))
    token = text.find(b"eyJ", start)
    if token >= 0 and _JWT_OPEN.match(text, token):
        return token + 3
    if len(text) - start >= LONGEST:
        return None
    if text[:start].endswith(_EIGHT):
        # It belongs to a secret that is known. Only what follows a full stop may not.
        dot = text.find(b".", start)
        return None if dot < 0 else dot
    # A letter after a backslash is an escape.
    start += text[start - 1 : start] == b"\\" and start < len(text)
    # A key that was cut at the end of a line goes on here.
    before = _CUT_SECRET.search(text, max(0, start - WINDOW), start)
    if (
        before is not None
        and (lead := _LEAD.search(text, *before.span("word")))
        and not _BEGINS.match(text, start)
    ):
        return lead.end()
    ended = text[start:].rstrip(b"=")
    run = start + max(ended.rfind(b"."), ended.rfind(b"=")) + 1
    first = min(start + plain_start(text[start:]), run + plain_start(text[run:]))
    if (lead := _LEAD.search(text, start) or _SK_OPEN.search(text, start)) is not None:
        first = min(first, lead.end())
    return first if first < len(text) else None


def _found(text: bytes) -> Iterator[tuple[int, int]]:
    lower = text.lower()
    ways = named.ranges(text, lower), commands.ranges(text), _tokens(text), _words(text)
    for found in chain.from_iterable(ways):
        yield found
        yield from _continued(text, found[1])


def _tokens(text: bytes) -> Iterator[tuple[int, int]]:
    """Yields JSON web tokens, keys that may be full of hyphens, and what follows stars."""
    for found in _JWT.finditer(text):
        before = text[max(0, found.start() - 2) : found.start()]
        if not before[-1:].isalnum() or before[:1] == b"\\":
            yield found.span("value")
    for begun in _HYPHENATED:
        for found in begun.finditer(text):
            lead, key = _LEAD.match(text, found.start()), _SK.match(text, found.start())
            if lead and (body := _BODY.match(text, lead.end())) and _body_counts(lead[0], body[0]):
                yield body.span()
            elif key and not wordy(key["value"]):
                yield key.span("value")
    at = text.find(_EIGHT)
    while at >= 0 and (stars := _STARS.match(text, at)):
        if rest := _STARRED.match(text, stars.end()):
            yield rest.span()
        at = text.find(_EIGHT, stars.end())


def _words(text: bytes) -> Iterator[tuple[int, int]]:
    """Yields the secrets among words that are long enough for one."""
    runs, sample, end, public = text.translate(_RUNS), b"a" * RUN, 0, None
    while (start := runs.find(sample, end)) >= 0:
        end = runs.find(b" ", start + RUN)
        end = len(text) if end < 0 else end
        before = text[start - 1] if start else 0
        if before == _BACKSLASH:
            start += 1
        led = before in _JOINTS and _led(text, start, hyphen=before == _HYPHEN)
        if not led and end - start <= LONGEST and _dull(text[start:end]):
            if end - start == 32 and (last := commands.hex_key_end(text, start, end)):
                yield start + plain_start(text[start:end]), last
            continue
        if public is None:
            public = named.public_blocks(text)
        if not any(first <= start < last for first, last in public):
            # The whole word, hyphens and all.
            first = _word_start(text, start) if before == _HYPHEN else start
            rest = _WORD_REST.match(text, end)
            end = rest.end() if rest else end
            yield from _judged(text, first, end)


def _word_start(text: bytes, end: int) -> int:
    """Returns where the word begins, hyphens and all, that goes on at a place."""
    head = text[max(0, end - 64) : end]
    start = end - len(head[len(head.rstrip(_WORD)) :].rpartition(b"-----")[2])
    return start + (text[start - 1 : start] == b"\\")


def _led(text: bytes, start: int, *, hyphen: bool) -> bool:
    """Returns whether a run may belong to a lead before it."""
    if hyphen:
        first = _word_start(text, start)
        return text[first : first + 3] in _HEADS
    return _LED.search(text, max(0, start - 32), start) is not None


@lru_cache(maxsize=8192)
def _dull(word: bytes) -> bool:
    """Returns whether a word is no secret, whatever stands before it."""
    heads = any(part[:3] in _HEADS for part in word.split(b"/"))
    if heads and _LEAD.search(word):
        return False
    if b"_" in word and telling(word):
        return False
    return wordy(word) or known_id(word) or words_and_ids(word)


def _judged(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    word, known = text[start:end], False
    shown = start + plain_start(word[:LONGEST])
    for lead in _LEAD.finditer(text, max(0, start - 24), min(end, start + LONGEST)):
        body = _BODY.match(text, lead.end())
        if body is not None and _lead_counts(lead[0], body[0], whole=lead.start() == start):
            known = True
            yield body.span()
    if known:
        return
    if len(word) <= LONGEST:
        shift = max(0, start - WINDOW)
        for first, last in _SHAPES.ranges(text[shift : end + WINDOW]):
            if shift + first < end and shift + last > start:
                yield max(shown, shift + first), shift + last
    padding = len(text[end : end + 2]) - len(text[end : end + 2].lstrip(b"="))
    for first, last in _by_chance(word):
        if not _EXCUSED.search(text, max(0, start - WINDOW), start):
            yield start + first + plain_start(word[first:last]), start + last + padding
    if _encodes_secret(word[:MAX_ENCODED]):
        yield shown, end + padding
    # A key that was cut at the end of a line, before there was enough of it to know it.
    before = _CUT_SECRET.search(text, max(0, start - WINDOW), start)
    if before is not None and not wordy(word) and not _BEGINS.match(text, start):
        for lead in _LEAD.finditer(text, *before.span("word")):
            begun = text[lead.end() : before.end("word")]
            if _body_counts(lead[0], begun + word) and not _body_counts(lead[0], begun):
                yield lead.end(), before.end("word")
                yield shown, end


@lru_cache(maxsize=8192)
def _by_chance(word: bytes) -> tuple[tuple[int, int], ...]:
    parts, at, found = word.split(b"/"), 0, list[tuple[int, int]]()
    if random(word) and not (len(parts) > 2 and any(map(named_id, parts))):
        return ((0, len(word)),)
    if len(parts) == 1 or len(word) > 4 * LONGEST:
        return ()
    if 2 * sum(map(wordy, parts)) < len(parts):
        return ()  # data, not a path
    for part in parts:
        if random(part):
            found.append((at, at + len(part)))
        at += len(part) + 1
    return tuple(found)


def _lead_counts(lead: bytes, body: bytes, *, whole: bool) -> bool:
    if lead[-1:].isalnum():
        # Four letters are in many a word, and in any data: here the body has to be one piece.
        body = body.rstrip(b"=")
        alike = body.isalnum() and (_DIGIT.search(body) is not None or body.isupper())
        return whole and ((alike and len(body) >= LEAST_BODY) or _EIGHT in body)
    return _body_counts(lead, body)


def _body_counts(lead: bytes, body: bytes) -> bool:
    if body.startswith(_EIGHT):
        return True
    least, body = 43 if lead == _OWN else LEAST_BODY, body.rstrip(b"=")
    return len(body) >= least and (not wordy(body) or (len(body) >= 20 and body.isalpha()))


@lru_cache(maxsize=1024)
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
    found = (*named.ranges(decoded, decoded.lower()), *_tokens(decoded))
    return bool(found) or any(
        (body := _BODY.match(decoded, lead.end())) and _lead_counts(lead[0], body[0], whole=True)
        for lead in _LEAD.finditer(decoded)
    )


def _continued(text: bytes, end: int) -> Iterator[tuple[int, int]]:
    """Yields the rest of a secret that goes on in the next lines, each of one word alone."""
    while (gap := _LINE_END.match(text, end)) is not None:
        word = _BODY.match(text, gap.end())
        if word is None or len(word[0]) < 8 or wordy(word[0]) or known_id(word[0]):
            return
        if _BEGINS.match(text, word.start()):
            return  # another one
        end = word.end()
        if not _WORD_END.match(text, end):
            return
        yield word.start() + plain_start(word[0]), end
