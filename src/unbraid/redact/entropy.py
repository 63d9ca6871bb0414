"""Whether a word is random: what no rule recognizes is judged by its characters.

Keys change between small letters, capitals and digits at almost every other character. Words,
names, paths and numbers do not. What is no secret though it looks like one (the ids by which
agents, calls and messages are known, hashes, data of pictures) is known by what stands before it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log2
from string import ascii_lowercase, ascii_uppercase

from unbraid.redact.rules import RULES

LEAST, MOST = 20, 256

_WORD = rb"(?:[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{2,20}){0,8}|[A-Z]{2,20}|[A-Z])[0-9]{0,3}|[0-9]{1,8}"
WORDY = re.compile(rb"[-_/.+]*(?:%b)(?:[-_/.+]{1,3}(?:%b))*[-_/.+]*" % (_WORD, _WORD))
_HEX = re.compile(rb"(?:0x)?[0-9a-f]+|[0-9A-F]+")
UUID = re.compile(rb"(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
# What is redacted already.
STARS = b"*" * 8
_PIECES = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BETWEEN_WORDS = re.compile(rb"[-_/.+]+")
_ID = RULES.part("ID")
# Also JSON in base64: what is secret of that, a web token, is found by its shape.
_HASH = re.compile(rb"sha(?:1|224|256|384|512)-|AAAA[BCE][3-9]Nz|ssh-|eyJ")
# Secrets of providers that no rule knows often say what they are.
_KEY_LABEL = re.compile(
    rb"(?:[A-Za-z0-9]{1,12}[-_]){0,3}(?:sk|rk|key|api|apikey|tok|token|secret|pat|live|prod|pass|auth"
    rb"|bot|access|priv|cred)[-_]"
)
_LABELLED_KEY = re.compile(_KEY_LABEL.pattern + rb"(?P<body>[A-Za-z0-9+/_-]{16,})")
DIGITS = b"0123456789"
_KINDS = (DIGITS, ascii_uppercase.encode(), ascii_lowercase.encode())
_CHANGES = re.compile(rb"[a-z](?=[A-Z0-9+/_-])|[A-Z](?=[a-z0-9+/_-])|[0-9](?=[A-Za-z+/_-])|[+/]")

# By the first letter: which ones often follow it, in English and in the names of programs.
_COMMON_PAIRS = frozenset(
    letters[0] + after
    for letters in (
        "abcdfgiklmnprstuvwxy baceijlorsuy cacdehiklmorstuy dabdefilnorstu eabcdefgilmnopqrstvwxy"
        " faefilorstuy gaeghilnorsu haeiort iabcdefglmnoprstvxz je kaeis lacdeilopstuy mabdeilmopsu"
        " nacdefgiklnopstuv oabcdfgiklmnoprstuvw padehiloprstuy qu rabcdefgiklmnoprstuvy"
        " sacdefhiklmnopstuwy tacdefhilmoprstuwy uabcdefgilmnoprst vaeio waehinors xceipt yeilmnpst"
        " zei"
    ).split()
    for after in letters[1:]
)

# Signs among letters and digits, as no code and no placeholder has them.
DENSE = re.compile(
    rb"(?=(?:[^\s0-9]{0,24}[0-9]){4})(?=(?:[A-Za-z0-9_-]{0,24}[!@#$%^&*(=+)]){4})"
    rb"[A-Za-z0-9!@#$%^&*(_=+)-]{40,128}(?![^\s\"'`\\])"
)
OPEN_DENSE = re.compile(rb"[A-Za-z0-9!@#$%^&*(_=+)-]{1,128}\Z")


def plain_start(word: bytes) -> int:
    """Returns how much of a word, from its beginning, is plain: it may be shown before the rest is
    known, and is shown even if the rest is a secret.
    """
    found, prefix = WORDY.match(word), _KEY_LABEL.match(word)
    end = found.end() if found else len(word) - len(word.lstrip(b"-_/.+"))
    return min(end, prefix.end()) if prefix else end


def consists_of_words(word: bytes) -> bool:
    """Returns whether it consists of words and short numbers."""
    return WORDY.fullmatch(word) is not None


def looks_invented(word: bytes) -> bool:
    """Returns whether letters are no words of any text: too many of them follow each other as they
    seldom do, or they change between small and capital letters as in no name.
    """
    pieces = _PIECES.findall(word)
    pairs = rare = 0
    for piece in pieces:
        # Abbreviations follow no rule.
        if piece.isalpha() and not (len(piece) <= 4 and piece.isupper()):
            letters = piece.decode().lower()
            pairs += len(letters) - 1
            rare += sum(two not in _COMMON_PAIRS for two in map("".join, pairwise(letters)))
    changes = len(pieces) - len(_BETWEEN_WORDS.findall(word))
    return 5 * rare > pairs or sum(map(len, pieces)) < 3.4 * changes


def words_and_ids(word: bytes) -> bool:
    """Returns whether it is words written together, with UUIDs among them perhaps."""
    rest = UUID.sub(b"", word)
    return len(rest) >= 3.4 * len(_PIECES.findall(rest))


def plain_path(word: bytes) -> bool:
    """Returns whether it is a path in small letters, of words and hashes."""
    return word.islower() and all(
        _HEX.fullmatch(part) or consists_of_words(part) for part in word.split(b"/") if part
    )


def known_id(word: bytes) -> bool:
    """Returns whether it is a hash, a UUID, or an id by its beginning."""
    return bool(
        _HEX.fullmatch(word) or UUID.fullmatch(word) or _ID.match(word) or _HASH.match(word)
    )


def named_id(word: bytes) -> bool:
    """Returns whether it is an id by its beginning, as files may be called by it."""
    return len(word) >= LEAST and _ID.match(word) is not None


def is_labelled_key(word: bytes) -> bool:
    """Returns whether a word says itself that it is a key, and has what may be one."""
    found = _LABELLED_KEY.fullmatch(word)
    return found is not None and not consists_of_words(found["body"])


def random(word: bytes) -> bool:
    """Returns whether a word that nothing introduces was made by chance."""
    size = len(word)
    if not LEAST <= size <= MOST or known_id(word) or consists_of_words(word):
        return False
    if is_labelled_key(word):
        return True
    if any(size - len(word.translate(None, kind)) < 2 for kind in _KINDS):
        return False
    return len(_CHANGES.findall(word)) >= 0.36 * size and bits(word) >= 3.5


def bits(word: bytes) -> float:
    """Returns Shannon's entropy of a word's characters, in bits for each."""
    size = len(word)
    counts = [word.count(each) for each in set(word)]
    return -sum(count / size * log2(count / size) for count in counts)


def count(value: bytes, signs: bytes) -> int:
    """Returns how many of the signs a value has: many times faster than one after the other."""
    return len(value) - len(value.translate(None, signs))


def has_mixed_characters(value: bytes) -> bool:
    """Returns whether letters and digits are mixed as in no word, path or id."""
    digits = count(value, DIGITS)
    return 3 <= digits < len(value) and not consists_of_words(value) and not UUID.fullmatch(value)
