"""What a person types to search, taken as words: no query of theirs can be a syntax error.

A word of a query is found at the beginning of words: `pars` finds "parser", and not "sparse". Case
and accents make no difference. Words in quotes, and those of `a_name/like.this`, are found where
they follow each other, whatever is between them. `web/src/model/terms.ts` has the same rules, and
so has the index of the SQLite file; `web/src/model/terms.json` holds all of them to that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_WORD = re.compile(r"[^\W_]+")
SNIPPET_CHARS = 160
CUT = "…"


class _Folds(dict[int, int]):
    """Characters as they are compared: small, without accents. Each stays one character."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code))
        if len(base) > 1 and not all(map(unicodedata.combining, base[1:])):
            base = chr(code)
        folded = self[code] = ord(base[0].lower()[0])
        return folded


_FOLDS = _Folds()


def folded(text: str) -> str:
    """Returns a text as it is compared: as long as it is with its accents composed."""
    return text.lower() if text.isascii() else composed(text).translate(_FOLDS)


def composed(text: str) -> str:
    """Returns a text in which a letter and its accent are one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def terms_of(query: str) -> list[str]:
    """Returns the words and "quoted phrases" of a query."""
    found = (quoted or word.strip('"') for quoted, word in _TERM.findall(query))
    return [term for term in found if _WORD.search(term)]


def words_of(term: str) -> list[str]:
    """Returns the words of a term, in small letters."""
    return _WORD.findall(term.lower())


def patterns_of(query: str) -> list[re.Pattern[str]]:
    """Returns one pattern for each term of a query, to be found in folded text."""
    return [
        re.compile(r"(?<![^\W_])" + r"[\W_]+".join(_WORD.findall(folded(term))))
        for term in terms_of(query)
    ]


def snippet_of(text: str, patterns: Sequence[re.Pattern[str]]) -> str | None:
    """Returns the surroundings of the first of a query's terms if the text holds all of them; where
    they are cut out of more, that is marked.
    """
    compared = folded(text)
    places = [pattern.search(compared) for pattern in patterns]
    found = [place.start() for place in places if place is not None]
    if len(found) < len(places):
        return None
    text = composed(text)
    start = max(0, min(found) - SNIPPET_CHARS // 4)
    end = start + SNIPPET_CHARS
    return CUT * (start > 0) + text[start:end] + CUT * (end < len(text))
