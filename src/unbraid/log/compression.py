"""How logs compress what they store: only where that pays."""

from __future__ import annotations

import zlib


def compressed(data: bytes, *, min_bytes: int) -> bytes | None:
    """Returns the bytes compressed; None if they are fewer than `min_bytes`, or would not become
    fewer.
    """
    if len(data) < min_bytes:
        return None
    # The fastest level: records repeat their keys and ids, which it finds as well as the others do.
    small = zlib.compress(data, 1)
    return small if len(small) < len(data) else None
