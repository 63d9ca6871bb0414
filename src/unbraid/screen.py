"""Agents' text for a screen: made safe, so that no terminal acts on it, and shortened; and money as
people read it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple, Protocol

LONG = 200

# Code points that a screen acts on, or shows as nothing, instead of showing them. The page has the
# same table: web/generate.py.
HIDDEN = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F),  # controls, but for tab and line feed
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C),  # soft hyphen, grapheme joiner, a direction mark
    (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),  # letters and selectors without a shape
    (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E),  # no width, direction marks, line ends
    (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164),  # invisible operators, blank letters
    (0xD800, 0xDFFF), (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB),
    (0x13440, 0x13442), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159),  # fillers and blanks
    (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),  # formats, tags, selectors
)  # fmt: skip
# These join letters of some scripts and parts of emoji; anywhere else they are as hidden as others.
JOINERS = (0x200C, 0x200D, 0xFE0E, 0xFE0F)
# So many marks may stand on a letter. More would cover the lines above and below it.
MAX_MARKS = 6


def _hidden() -> re.Pattern[str]:
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in HIDDEN)
    joiners = "".join(map(chr, JOINERS))
    return re.compile(f"[{ranges}]|(?<![^\\x00-\\x7f{joiners}])[{joiners}]")


_HIDDEN = _hidden()
# No mark is a letter, a digit or a space.
_FLOOD = re.compile(rf"[^\w\s\x00-\x7f]{{{MAX_MARKS + 1},}}")


def safe(text: str) -> str:
    """Returns text of which nothing is hidden, and on which no terminal acts: what a screen would
    not show stands there as an escape (`\\x1b`, `\\u202e`). A line may end as on Windows.
    """
    if not text.isascii():
        text = _FLOOD.sub(_without_flood, text)
    return _HIDDEN.sub(_escape, text.replace("\r\n", "\n"))


def safe_json(data: bytes) -> bytes:
    """Returns JSON of which nothing is hidden, on which no terminal acts, and that means the same:
    JSON itself escapes the controls of ASCII only.
    """
    if data.isascii():
        return data.replace(b"\x7f", b"\\u007f")
    text = data.decode("utf-8", "surrogatepass")
    return _HIDDEN.sub(_json_escape, text).encode("utf-8", "surrogatepass")


def _without_flood(found: re.Match[str]) -> str:
    parts, marks = list[str](), 0
    for char in found[0]:
        if unicodedata.category(char) in ("Mn", "Me"):
            marks += 1
        elif ord(char) not in JOINERS:  # marks behind a joiner stand on the same letter
            marks = 0
        parts.append(char if marks <= MAX_MARKS else _escaped(ord(char)))
    return "".join(parts)


def _json_escape(found: re.Match[str]) -> str:
    # In UTF-16, as JSON writes what takes more than four digits.
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _escape(found: re.Match[str]) -> str:
    return _escaped(ord(found[0]))


def _escaped(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def short(text: str, most: int = LONG) -> str:
    """Returns the beginning of a text, safe and on one line."""
    text = " ".join(safe(text[: most * 2]).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(number: int, what: str) -> str:
    """Returns a number of things: `1 run`, `2 runs`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def byte_count(size: int) -> str:
    """Returns a number of bytes: `512 B`, `1.5 MB`, `34 GB`."""
    shown, units = float(size), ["TB", "GB", "MB", "kB", "B"]
    while shown >= 1000 and len(units) > 1:
        shown /= 1000
        units.pop()
    digits = 1 if shown < 10 and size >= 1000 else 0
    return f"{shown:.{digits}f} {units[-1]}"


class SpentAmounts(Protocol):
    """What was spent: reported by a CLI, computed from prices, and tokens that are in neither."""

    @property
    def cost_usd(self) -> float | None: ...

    @property
    def estimated_usd(self) -> float | None: ...

    @property
    def unpriced_tokens(self) -> int: ...


class SpentDollars(NamedTuple):
    """Dollars that were spent, by themselves."""

    cost_usd: float | None = None
    estimated_usd: float | None = None
    unpriced_tokens: int = 0


def cost(spent: SpentAmounts) -> str:
    """Returns a cost as it is shown everywhere: `$14.37`; `≈$0.12` if it, or a part of it, was
    computed; `<$0.01`, computed or not; `$0.12+` if some tokens have no price, and `no price` if
    none has; nothing if nothing is known. The page has the same: web/src/parts/format.ts.
    """
    if spent.cost_usd is None and spent.estimated_usd is None:
        return "no price" if spent.unpriced_tokens else ""
    dollars = (spent.cost_usd or 0.0) + (spent.estimated_usd or 0.0)
    about = "≈" if spent.estimated_usd else ""
    more = "+" if spent.unpriced_tokens else ""
    if 0 < dollars < 0.01:
        return f"<$0.01{more}"
    return f"{about}${dollars:,.2f}{more}"


def token_count(number: int) -> str:
    """Returns a number of tokens as it is shown everywhere: `999`, `12.3k`, `123k`, `4.0M`. The
    page has the same: web/src/parts/format.ts.
    """
    if number < 1000:
        return str(number)
    shown = ""
    for unit, size in (("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)):
        # Integers: a float overflows, and rounds otherwise in other languages.
        tenths, whole = (10 * number + size // 2) // size, (number + size // 2) // size
        shown = f"{tenths // 10}.{tenths % 10}{unit}" if tenths < 1000 else f"{whole}{unit}"
        if whole < 1000:
            break
    return shown


_AMOUNT_PART = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)")
_AMOUNT = rf"(?:{_AMOUNT_PART.pattern})+\s*"
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def amount(text: str, units: Mapping[str, float] = SECONDS) -> float | None:
    """Returns an amount that a person has written, as `90s`, `1h 30m` or `2GB`, in the unit that is
    1; None if it is none.
    """
    if re.fullmatch(_AMOUNT, text) is None:
        return None
    parts = [(float(number), unit.lower()) for number, unit in _AMOUNT_PART.findall(text)]
    if any(unit not in units for _, unit in parts):
        return None
    return sum(number * units[unit] for number, unit in parts)


def duration(milliseconds: float) -> str:
    """Returns a length of time as it is shown everywhere: `320ms`, `1.5s`, `42s`, `9m 58s`,
    `1h 05m`, `2d 7h`. The page has the same: web/src/parts/format.ts.
    """
    whole = max(int(milliseconds), 0)
    if whole < 1000:
        return f"{whole}ms"
    seconds = whole // 1000
    if seconds < 10:
        return f"{seconds}.{whole % 1000 // 100}s"
    if seconds < 60:
        return f"{seconds}s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}m {seconds:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m" if hours < 48 else f"{hours // 24}d {hours % 24}h"
