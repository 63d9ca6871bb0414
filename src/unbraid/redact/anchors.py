"""Which of many words a text has, and where, in one pass: by the package that is made for it, where
it is installed, or by one pattern of all the words, which takes several times as long.

Most patterns begin with a word that most text does not have. Looking for one word after the other
would cost more than all the rest of redaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec

# The words that a text has, with the offsets of each in it.
Anchors = dict[bytes, list[int]]
Present = Callable[[bytes], Anchors]


def finder(words: Iterable[bytes]) -> Present:
    """Returns what finds out which of the words a text has, and where."""
    known = tuple(set(words))
    if find_spec("ahocorasick_rs") is None:
        return _pattern_finder(known)
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    find = BytesAhoCorasick(known, implementation=Implementation.DFA).find_matches_as_indexes

    def present(text: bytes) -> Anchors:
        anchors: Anchors = {}
        # Overlapping, because a word may end with the beginning of another.
        for number, start, _ in find(text, overlapping=True):
            word = known[number]
            if word in anchors:
                anchors[word].append(start)
            else:
                anchors[word] = [start]
        return anchors

    return present


def _pattern_finder(known: tuple[bytes, ...]) -> Present:
    search = re.compile(alternation(known)).search
    # What is found is the longest at its place: others there are beginnings of it.
    beginnings = {word: [each for each in known if word.startswith(each)] for word in known}

    def present(text: bytes) -> Anchors:
        anchors: Anchors = {}
        at = 0
        while (found := search(text, at)) is not None:
            start = found.start()
            for word in beginnings[found[0]]:
                anchors.setdefault(word, []).append(start)
            at = start + 1
        return anchors

    return present


def alternation(words: Iterable[bytes]) -> bytes:
    """Returns a pattern of any of the words, the longest that fits. Words that begin alike share
    their beginning in it: `re` would try one after the other.
    """
    tree: dict[int, list[bytes]] = {}
    empty = False
    for word in words:
        if word:
            tree.setdefault(word[0], []).append(word[1:])
        else:
            empty = True
    if not tree:
        return b""
    branches = [re.escape(bytes([first])) + alternation(rest) for first, rest in tree.items()]
    joined = b"(?:" + b"|".join(branches) + b")"
    return joined + b"?" if empty else joined


def matches(
    pattern: re.Pattern[bytes], offsets: Iterable[int], text: bytes
) -> Iterator[re.Match[bytes]]:
    """Yields the matches of a pattern that begin at some of the offsets, like `finditer`."""
    done = 0
    for offset in offsets:
        if offset >= done and (found := pattern.match(text, offset)) is not None:
            done = found.end()
            yield found
