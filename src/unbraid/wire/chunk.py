"""Bytes of a source on their way to the translator."""

from __future__ import annotations

from typing import NamedTuple


class Chunk(NamedTuple):
    """Bytes of a source with the offset at which they begin."""

    source: str
    offset: int
    data: bytes
