"""What a person types to search, taken as words: no query of theirs can be a syntax error."""

from __future__ import annotations

import re

_TERM = re.compile(r'"([^"]+)"|(\S+)')
SNIPPET_CHARS = 160
CUT = "…"


def terms_of(query: str) -> list[str]:
    """Returns the words and "quoted phrases" of a query."""
    found = (quoted or word.strip('"') for quoted, word in _TERM.findall(query))
    return [term for term in found if any(char.isalnum() for char in term)]


def snippet_of(text: str, terms: list[str]) -> str | None:
    """Returns the surroundings of the first of `terms` (lower case) if the text holds all of them;
    where they are cut out of more, that is marked.
    """
    lower = text.lower()
    places = [lower.find(term) for term in terms]
    if any(place < 0 for place in places):
        return None
    start = max(0, min(places) - SNIPPET_CHARS // 4)
    end = start + SNIPPET_CHARS
    return CUT * (start > 0) + text[start:end] + CUT * (end < len(text))
