"""What has been seen before, within bounds.

Two generations of keys: when the young one is full it becomes the old one, and what was old is
forgotten. A key is remembered for at least `generation` newer keys and at most twice that, so the
memory of a run does not grow with its length. Forgetting errs on the safe side: something said
again after that long a time is shown again, nothing is ever lost.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

GENERATION = 1 << 17


class Seen:
    """A bounded set of keys."""

    __slots__ = ("_generation", "_old", "_young")

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, key: int) -> bool:
        return key in self._young or key in self._old

    def add(self, key: int) -> bool:
        """Remember a key; True if it was not known."""
        young = self._young
        if key in young or key in self._old:
            return False
        young.add(key)
        if len(young) >= self._generation:
            self._old = young
            self._young = set()
        return True


def forget_oldest(known: dict[K, V], most: int) -> None:
    """Keep between `most` and twice as many of a dict's latest keys.

    In one sweep, because finding the oldest key of a dict means walking over all it has lost.
    """
    if len(known) > 2 * most:
        for key in list(islice(known, len(known) - most)):
            del known[key]
