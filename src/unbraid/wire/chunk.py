"""Bytes of a source on their way to the translator."""

from __future__ import annotations

from typing import NamedTuple


class Chunk(NamedTuple):
    """Bytes of a source with the offset at which they begin.

    `arrived_ms` is when they came, in milliseconds since 1970; the recorder or sender notes it,
    because it dates what has no time of its own.
    """

    source: str
    offset: int
    data: bytes
    arrived_ms: int = 0
