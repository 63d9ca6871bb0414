"""What has been seen before, within bounds.

A key is remembered for at least `RECENT` newer ones and at most twice as many, so the memory of a
run does not grow with its length. Forgetting errs on the safe side: something said again after that
long a time is shown again, nothing is ever lost.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

RECENT = 1 << 17
FULL = 2 * RECENT


class Seen(dict[int, None]):
    """A bounded set of keys, oldest first."""

    def add(self, key: int) -> bool:
        """Remember a key; True if it was not known."""
        if key in self:
            return False
        self[key] = None
        if len(self) > FULL:
            forget_oldest(self, RECENT)
        return True


def forget_oldest(known: dict[K, V], most: int) -> None:
    """Keep between `most` and twice as many of a dict's latest keys.

    In one sweep, because finding the oldest key of a dict means walking over all it has lost.
    """
    if len(known) > 2 * most:
        for key in list(islice(known, len(known) - most)):
            del known[key]
