"""Agents' text for a screen: made safe, so that no terminal acts on it, and shortened."""

from __future__ import annotations

from typing import Any

import msgspec

LONG = 200
MAIN_ARGUMENTS = (
    "command", "file_path", "filePath", "pattern", "path", "url", "query", "description",
)  # fmt: skip

# What a terminal would act on instead of showing: C0 and C1 controls, bidirectional overrides.
_UNSAFE = {c: f"\\x{c:02x}" for c in [*range(0x20), *range(0x7F, 0xA0)] if c not in (9, 10)}
_UNSAFE |= {
    c: f"\\u{c:04x}"
    for c in [0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
}


def safe(text: str) -> str:
    """Text that no terminal acts on: controls and direction marks are shown as escapes. A line may
    end as on Windows.
    """
    return text.replace("\r\n", "\n").translate(_UNSAFE)


def short(text: str, most: int = LONG) -> str:
    """Returns the beginning of a text, safe and on one line."""
    text = " ".join(safe(text[: most * 2]).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def gist(given: Any) -> str:
    """Returns what a call is about: the argument that says most, else all of them."""
    if isinstance(given, dict):
        for name in MAIN_ARGUMENTS:
            if isinstance(given.get(name), str):
                return str(given[name])
    return msgspec.json.encode(given).decode()


def counted(number: int, what: str) -> str:
    """Returns a number of things: `1 run`, `2 runs`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
