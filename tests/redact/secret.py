"""A key that agents have and nobody else may see, and where it has got to."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import subprocess
from pathlib import Path

from tests.redact.test_lines import BODY

KEY = "sk-" + "ant-" + BODY
SEEN = "sk-" + "ant-" + "*" * len(BODY)
# Bits that are shorter stand in many a word. Longer ones would miss a delta of four characters.
BITS = [BODY[at : at + 4].encode() for at in range(len(BODY) - 3)]
# OpenCode's ids end in 14 random characters of the alphabet that keys have, so a bit of the key is
# in one of them now and then. In a database the next value follows without anything between.
_RANDOM_ID = re.compile(rb"[a-z]{3}_[0-9a-f]{12}[0-9A-Za-z]{14}")


def bits_in(shown: bytes | str) -> list[bytes]:
    """Return the bits of the key that are in this, random ids aside."""
    data = shown.encode() if isinstance(shown, str) else shown
    # A character stands for the id, or what is left and right of it could join to a bit.
    data = _RANDOM_ID.sub(b"#", data)
    return [bit for bit in BITS if bit in data]


def leaks(*folders: Path, pattern: str = "*") -> list[tuple[Path, bytes]]:
    """Return the files with a bit of the key, and which bit."""
    paths = []
    for path in itertools.chain.from_iterable(folder.rglob(pattern) for folder in folders):
        with contextlib.suppress(OSError):
            paths += [path] if path.is_file() else []
    # Tests look again and again, and most often there is nothing to be found.
    if not (anywhere := bits_in(_content(*paths))):
        return []
    found = [(path, bit) for path in paths for bit in bits_in(_content(path))]
    return found or [(folders[0], bit) for bit in anywhere]  # it has been there for a moment


def _content(*paths: Path) -> bytes:
    # By another process: who closes a file that it has open in SQLite, too, loses its locks on it,
    # and the next to come truncates what is mapped here.
    command = ["cat", "--", os.devnull, *map(str, paths)]
    return subprocess.run(command, capture_output=True).stdout
