"""What a search finds: the one rule for logs, stored sessions, saved pages and highlights.

A query is taken as terms: words, and "phrases" in quotes. No query can be a syntax error. A block
of text matches if it has all of them, wherever they are in it: `pars` finds "parser" and "sparse",
`Translator` finds "StreamTranslator", and scripts that put no spaces between words need none. Case
and accents make no difference. The words of a phrase, and those of `a_name/like.this`, are found
where they follow each other, whatever signs are between them.

Whole words rank higher than beginnings of words, and those rank higher than parts inside words.

`web/src/model/terms.ts` has the same rule; `web/src/model/terms.json` holds both to it.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from typing import NamedTuple

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"[\W_]+"
_WORD_BEGINS, _WORD_ENDS = r"(?<![^\W_])", r"(?![^\W_])"
_BEYOND_ASCII = re.compile(r"[^\0-\x7f]+")
SNIPPET_CHARS = 160
CUT = "…"


class Rank(IntEnum):
    """How well a text matches: as well as the worst of the terms in it, each at its best place."""

    WHOLE_WORDS = 0
    BEGINNINGS = 1
    INSIDE = 2


class Match(NamedTuple):
    """How well a text matches, and the surroundings of the first of its best places; where they are
    cut out of more, that is marked.
    """

    rank: Rank
    snippet: str


class _Folds(dict[int, int]):
    """Characters as they are compared: small, without accents. Each stays one character."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code))
        # The marks of other scripts, as of Japanese, are no accents: they make another letter.
        if not all("\u0300" <= mark <= "\u036f" for mark in base[1:]):
            base = chr(code)
        folded = self[code] = ord(base[0].lower()[0])
        return folded


_FOLDS = _Folds()


def folded(text: str) -> str:
    """Returns a text as it is compared: as long as it is with its accents composed."""
    if text.isascii():
        return text.lower()
    # Most text has but a few of the others, and `lower` is many times faster.
    return _BEYOND_ASCII.sub(lambda found: found[0].translate(_FOLDS), composed(text)).lower()


def composed(text: str) -> str:
    """Returns a text in which a letter and its accent are one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def terms_of(query: str) -> list[str]:
    """Returns the words and "quoted phrases" of a query."""
    found = (quoted or word.strip('"') for quoted, word in _TERM.findall(query))
    return [term for term in found if _WORD.search(term)]


def words_of(term: str) -> list[str]:
    """Returns the words of a term, as they are compared."""
    return _WORD.findall(folded(term))


class _Term:
    """One term: its words, and a pattern for each rank."""

    __slots__ = ("patterns", "words")

    def __init__(self, term: str) -> None:
        self.words = words_of(term)
        anywhere = _BETWEEN.join(self.words)
        beginning = _WORD_BEGINS + anywhere
        ranked = (beginning + _WORD_ENDS, beginning, anywhere)
        self.patterns = [re.compile(pattern) for pattern in ranked]

    def best(self, compared: str) -> tuple[Rank, int] | None:
        """Returns how well it is found in a folded text, and where."""
        if all(word in compared for word in self.words):
            for rank, pattern in zip(Rank, self.patterns, strict=True):
                if (place := pattern.search(compared)) is not None:
                    return rank, place.start()
        return None


class Query:
    """What was searched for; false if it has no words."""

    __slots__ = ("_terms", "terms")

    def __init__(self, query: str) -> None:
        self.terms = terms_of(query)
        self._terms = [_Term(term) for term in self.terms]

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def needle(self) -> str:
        """The word of which most can be ruled out that does not match: small, with its accents."""
        words = (word for term in self.terms for word in _WORD.findall(composed(term).lower()))
        return max(words, key=lambda word: (json_forms(word) is not None, len(word)), default="")

    def match(self, text: str) -> Match | None:
        """Returns how a text matches; None if a term is not in it."""
        compared = folded(text)
        rank, first = Rank.WHOLE_WORDS, len(compared)
        for term in self._terms:
            best = term.best(compared)
            if best is None:
                return None
            rank, first = max(rank, best[0]), min(first, best[1])
        text = composed(text)
        start = _word_start(text, max(0, first - SNIPPET_CHARS // 4), first)
        end = start + SNIPPET_CHARS
        return Match(rank, CUT * (start > 0) + text[start:end] + CUT * (end < len(text)))


def _word_start(text: str, start: int, end: int) -> int:
    """Returns where the first whole word of a part begins; where the part does, if it has none."""
    if start == 0 or text[start - 1] == " ":
        return start
    space = text.find(" ", start, end)
    return start if space < 0 else space + 1


def json_forms(word: str) -> list[str] | None:
    """Returns how a small word may be spelled in JSON, whose case does not matter then; None if
    that can be many ways. ASCII counts as spelled without accents, or no file could be ruled out.
    """
    if word.isascii():
        return [word]
    if any(char.upper() != char or unicodedata.normalize("NFD", char) != char for char in word):
        return None
    return [word, _BEYOND_ASCII.sub(_escaped, word)]


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
