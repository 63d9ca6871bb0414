"""Items as lines of a screen. All that agents said comes through `safe`, and never as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import ndiff
from typing import Any

import msgspec
from rich.style import Style
from rich.text import Text

from unbraid.screen import gist, safe, short
from unbraid.tui.items import Call, Item, Note, Words
from unbraid.tui.wrapping import wrapped

FEW = 4  # lines of a result, unless someone wants them all
FEW_CHANGES = 8

PLAIN = Style()
BOLD = Style(bold=True)
DIM = Style(dim=True)
THINKING = Style(dim=True, italic=True)
PROMPT = Style(color="cyan")
HEADING = Style(bold=True, color="bright_white")
CODE = Style(color="bright_cyan")
GOOD = Style(color="green")
BAD = Style(color="red")
ASKING = Style(color="yellow", bold=True)
TAKEN_BACK = Style(dim=True, strike=True)
SPOKEN_CODE = re.compile(r"`[^`]{1,200}`")
STRESSED = re.compile(r"\*\*[^*]{1,200}\*\*")
MOODS = {"good": GOOD, "bad": BAD, "asking": ASKING, "quiet": DIM}


def drawn(item: Item, width: int, *, whole: bool) -> list[Text]:
    """An item's lines, with an empty one after them; `whole` shows what is folded otherwise."""
    match item:
        case Words(kind="thinking"):
            lines = _thinking(item, width, whole=whole)
        case Words(kind="prompt"):
            lines = _barred(item.text, width, PROMPT)
        case Words():
            lines = _text(item, width)
        case Call():
            lines = _call(item, width, whole=whole)
        case Note():
            style = MOODS[item.mood]
            lines = [Text(line, style) for line in wrapped(short(item.text, 1000), width)]
        case _:
            lines = []
    if isinstance(item, Words) and item.left_out:
        lines.append(Text(f"… {item.left_out:,} more characters", DIM))
    return [*lines, Text()]


def _text(item: Words, width: int) -> list[Text]:
    """Text as it was written; headings and code stand out."""
    lines: list[Text] = []
    code = False
    for line in safe(item.text).strip("\n").split("\n"):
        fence = line.lstrip().startswith("```")
        if item.retracted:
            style = TAKEN_BACK
        elif fence:
            style, code = DIM, not code
        elif code:
            style = CODE
        else:
            style = HEADING if line.startswith("#") else PLAIN
        parts = [Text(part, style) for part in wrapped(line, width)]
        if style is PLAIN:
            for part in parts:
                part.highlight_regex(SPOKEN_CODE, CODE)
                part.highlight_regex(STRESSED, BOLD)
        lines += parts
    return lines


def _thinking(item: Words, width: int, *, whole: bool) -> list[Text]:
    if whole:
        return [Text(line, THINKING) for line in wrapped(safe(item.text).strip("\n"), width)]
    count = item.text.strip("\n").count("\n") + 1
    more = f"  (+{count - 1} lines)" if count > 1 else ""
    first = short(item.text, max(width - len(more) - 2, 8))
    return [Text(f"✻ {first}{more}", THINKING)]


def _call(item: Call, width: int, *, whole: bool) -> list[Text]:
    mark, style = ("⚙", ASKING) if item.ok is None else ("✔", GOOD) if item.ok else ("✘", BAD)
    head = Text.assemble((mark, style), " ", (short(item.tool, 40), BOLD))
    time = "" if item.duration_ms is None else f"  {item.duration_ms / 1000:.1f} s"
    room = width - head.cell_len - len(time) - 1
    given = _Given(item.input)
    if room > 8 and given.about:
        head.append(" ")
        about = Text(short(given.about, 500))
        about.truncate(room, overflow="ellipsis")
        head.append_text(about)
    head.append(time, DIM)
    lines = [head]
    inner = max(width - 4, 4)
    few = None if whole else FEW_CHANGES
    lines += _under(list(given.lines(inner, whole=whole)), few)
    if item.result and (whole or not (item.spawns and item.ok)):
        style = DIM if item.ok else BAD
        result = wrapped(safe(item.result).strip("\n"), inner)
        lines += _under([Text(line, style) for line in result], None if whole else FEW)
    if item.left_out and whole:
        lines.append(Text(f"  │ … {item.left_out:,} more characters", DIM))
    return lines


class _Given:
    """What a call was given: `about` in a line, and what deserves more."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.about = "" if given is None or given == {} else gist(given)

    def lines(self, width: int, *, whole: bool) -> Iterator[Text]:
        given = self._given
        if not isinstance(given, dict):
            return
        old, new = given.get("old_string"), given.get("new_string")
        if isinstance(old, str) and isinstance(new, str):
            yield from _changes(old, new, width)
        elif whole:
            shown = msgspec.json.format(msgspec.json.encode(given)).decode()
            # In JSON a line's end within a text is two characters; here it is a line's end.
            for line in wrapped(safe(shown.replace("\\n", "\n")), width):
                yield Text(line, DIM)


def _changes(old: str, new: str, width: int) -> Iterator[Text]:
    before, after = old[:4000].split("\n"), new[:4000].split("\n")
    if len(before) * len(after) > 10_000:
        compared = [*(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    else:
        compared = [line for line in ndiff(before, after) if not line.startswith("?")]
    for line in compared:
        style = {"-": BAD, "+": GOOD}.get(line[0], DIM)
        for part in wrapped(safe(line), width):
            yield Text(part, style)


def _under(lines: list[Text], few: int | None) -> list[Text]:
    more = 0 if few is None else len(lines) - few
    kept = lines if more <= 1 else lines[:few]
    barred = [Text.assemble(("  │ ", DIM), line) for line in kept]
    if more > 1:
        barred.append(Text(f"  │ … {more} more lines", DIM))
    return barred


def _barred(text: str, width: int, style: Style) -> list[Text]:
    lines = wrapped(safe(text).strip("\n"), max(width - 2, 4))
    return [Text.assemble(("▌ ", style), line) for line in lines]
