"""A key that agents have and nobody else may see, and where it has got to."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path

from tests.redact.test_lines import BODY

KEY = "sk-" + "ant-" + BODY
SEEN = "sk-" + "ant-" + "*" * len(BODY)
# Bits that are shorter stand in many a word.
BITS = [BODY[at : at + 4].encode() for at in range(len(BODY) - 3)]


def leaks(*folders: Path, pattern: str = "*") -> list[tuple[Path, bytes]]:
    """Files with a bit of the key, and which."""
    found = []
    for path in itertools.chain.from_iterable(folder.rglob(pattern) for folder in folders):
        with contextlib.suppress(OSError):
            data = path.read_bytes() if path.is_file() else b""
            found += [(path, bit) for bit in BITS if bit in data]
    return found
