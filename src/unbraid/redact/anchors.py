"""Which of many words a text has: in one pass, where the package for it is installed.

Most patterns begin with a word that most text does not have. Python's own search looks for one word
at a time, and looking for each of them costs more than all the rest of redaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec

Present = Callable[[bytes], frozenset[bytes]]


def finder(words: Iterable[bytes], longer: Mapping[bytes, bytes] | None = None) -> Present:
    """Returns what finds out which of the words a text may have: never less than it has. A word
    that has a `longer` one counts only where the text does not have that.
    """
    longer = longer or {}
    known = tuple({*words, *longer.values()})
    if find_spec("ahocorasick_rs") is None:
        everything = frozenset(known)
        return lambda _: everything
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    find = BytesAhoCorasick(known, implementation=Implementation.DFA).find_matches_as_indexes

    pairs = [(word, known.index(word), known.index(other)) for word, other in longer.items()]

    def present(text: bytes) -> frozenset[bytes]:
        # Overlapping, because a word may end with the beginning of another.
        found = [number for number, _, _ in find(text, overlapping=True)]
        less = {word for word, one, other in pairs if found.count(one) == found.count(other)}
        return frozenset([known[number] for number in set(found)]) - less

    return present
