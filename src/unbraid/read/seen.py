"""What has been seen before, within bounds.

A plain dict of keys, oldest first: a class of its own would be asked more slowly, and it is asked
for every line. A key is remembered for at least `RECENT` newer ones and at most a quarter more, so
the memory of a run does not grow with its length. Forgetting errs on the safe side: something said
again after that long a time is shown again, nothing is ever lost.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

RECENT = 1 << 17
# A dict of this size has the same table as with `RECENT` keys; the next one is twice as large.
FULL = RECENT + RECENT // 4


def newly(seen: dict[int, None], key: int) -> bool:
    """Remembers a key. Returns True if it was not known."""
    if key in seen:
        return False
    seen[key] = None
    if len(seen) > FULL:
        forget_oldest(seen, RECENT)
    return True


def forget_oldest(known: dict[K, V], most: int) -> None:
    """Removes a dict's oldest keys, if there are many: at least `most` stay, and at most a quarter
    more.

    In one sweep, because finding the oldest key of a dict means walking over all it has lost; and
    into a table of its own, because a dict that has lost keys keeps room for all it ever had.
    """
    if len(known) > most + most // 4:
        latest = dict(islice(known.items(), len(known) - most, None))
        known.clear()
        known.update(latest)
