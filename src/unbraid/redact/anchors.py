"""Which of many words a text has, and where: in one pass, where the package for it is installed.

Most patterns begin with a word that most text does not have. Python's own search looks for one word
at a time, and looking for each of them costs more than all the rest of redaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec

Present = Callable[[bytes], frozenset[bytes]]


class FoundAnchors(frozenset[bytes]):
    """The words that a text has, with the places of each in it."""

    places: dict[bytes, list[int]]


def finder(words: Iterable[bytes]) -> Present:
    """Returns what finds out which of the words a text may have: never less than it has."""
    known = tuple(set(words))
    if find_spec("ahocorasick_rs") is None:
        everything = frozenset(known)
        return lambda _: everything
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    find = BytesAhoCorasick(known, implementation=Implementation.DFA).find_matches_as_indexes

    def present(text: bytes) -> frozenset[bytes]:
        places: dict[bytes, list[int]] = {}
        # Overlapping, because a word may end with the beginning of another.
        for number, start, _ in find(text, overlapping=True):
            word = known[number]
            if word in places:
                places[word].append(start)
            else:
                places[word] = [start]
        found = FoundAnchors(places)
        found.places = places
        return found

    return present


def matches(
    pattern: re.Pattern[bytes], begins: frozenset[bytes], text: bytes, anchors: frozenset[bytes]
) -> Iterator[re.Match[bytes]]:
    """Yields the matches of a pattern that begins with one of some anchors, like `finditer`."""
    if not isinstance(anchors, FoundAnchors):
        yield from pattern.finditer(text)
        return
    done = 0
    for place in sorted(place for word in begins & anchors for place in anchors.places[word]):
        if place >= done and (found := pattern.match(text, place)) is not None:
            done = found.end()
            yield found
