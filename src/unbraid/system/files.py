"""Files as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

CHUNK_BYTES = 1 << 20


def chunks(path: Path) -> Iterator[bytes]:
    """A file's bytes, piece by piece."""
    with path.open("rb") as file:
        while data := file.read(CHUNK_BYTES):
            yield data
