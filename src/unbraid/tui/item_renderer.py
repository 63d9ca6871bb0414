"""Items as lines of a screen. All text of agents is made `safe`, and never read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import ndiff
from typing import Any

import msgspec
from rich.cells import chop_cells
from rich.console import Console
from rich.style import Style
from rich.text import Text

from unbraid.agents.registry import tools
from unbraid.fold.conversation import Item, Tone, note_of
from unbraid.screen import duration, safe, short

# Each of these takes one cell: counting characters is enough, and twenty times as fast.
_NARROW = re.compile(r"[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]*")
_console = Console(width=80, color_system=None)


def wrap_text(text: str, width: int) -> list[str]:
    """Returns the lines of a text that is safe; tabs are spaces, words are kept whole where they
    fit.
    """
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        if len(line) <= width and _NARROW.fullmatch(line):
            lines.append(line)
        elif _NARROW.fullmatch(line):
            lines.extend(_narrow(line, width))
        else:
            lines.extend(_wide(line, width))
    return lines


def _narrow(line: str, width: int) -> list[str]:
    lines, start = [], 0
    while len(line) - start > width:
        space = line.rfind(" ", start, start + width + 1)
        end = space if space >= 0 else start + width
        lines.append(line[start:end])
        start = end + (end == space)
    lines.append(line[start:])
    return lines


def _wide(line: str, width: int) -> list[str]:
    if len(line) > 2000:
        # One endless word: no rule about words applies, and Rich would look for one for long.
        return chop_cells(line, max(width, 2))
    return [part.plain for part in Text(line).wrap(_console, max(width, 2), no_wrap=False)] or [""]


FEW = 4  # lines of a result, unless all are to be shown
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
WAITING = Style(color="yellow", bold=True)
RETRACTED = Style(dim=True, strike=True)
SPOKEN_CODE = re.compile(r"`[^`]{1,200}`")
STRESSED = re.compile(r"\*\*[^*]{1,200}\*\*")
TONES: dict[Tone, Style] = {"good": GOOD, "bad": BAD, "waiting": WAITING, "quiet": DIM}
MAX_NOTE_CHARS = 1000


def render_item(item: Item, width: int, *, whole: bool) -> list[Text]:
    """Returns an item's lines, with an empty one after them; `whole` shows what is folded
    otherwise.
    """
    match item.kind:
        case "thinking":
            lines = _thinking(item, width, whole=whole)
        case "prompt":
            lines = _prompt(item, width)
        case "text":
            lines = _text(item, width)
        case "tool":
            lines = _call(item, width, whole=whole)
        case _:
            lines = _note(item, width)
    if item.retracted:
        lines.append(Text("✘ retracted", BAD))
    if item.left_out and item.kind != "tool":
        lines.append(Text(f"… {item.left_out:,} more characters", DIM))
    return [*lines, Text()]


def _text(item: Item, width: int) -> list[Text]:
    """Returns text as it was written; headings and code stand out."""
    lines: list[Text] = []
    code = False
    for line in safe(item.text or "").strip("\n").split("\n"):
        fence = line.lstrip().startswith("```")
        if item.retracted:
            style = RETRACTED
        elif fence:
            style, code = DIM, not code
        elif code:
            style = CODE
        else:
            style = HEADING if line.startswith("#") else PLAIN
        parts = [Text(part, style) for part in wrap_text(line, width)]
        if style is PLAIN:
            for part in parts:
                part.highlight_regex(SPOKEN_CODE, CODE)
                part.highlight_regex(STRESSED, BOLD)
        lines += parts
    return lines


def _thinking(item: Item, width: int, *, whole: bool) -> list[Text]:
    text, style = item.text or "", RETRACTED if item.retracted else THINKING
    if whole:
        return [Text(line, style) for line in wrap_text(safe(text).strip("\n"), width)]
    count = text.strip("\n").count("\n") + 1
    more = f"  (+{count - 1} lines)" if count > 1 else ""
    first = short(text, max(width - len(more) - 2, 8))
    return [Text(f"✻ {first}{more}", style)]


def _call(item: Item, width: int, *, whole: bool) -> list[Text]:
    mark, style = ("⚙", WAITING) if item.ok is None else ("✔", GOOD) if item.ok else ("✘", BAD)
    head = Text.assemble((mark, style), " ", (short(item.tool or "", 40), BOLD))
    time = "" if item.duration_ms is None else f"  {duration(item.duration_ms)}"
    room = width - head.cell_len - len(time) - 1
    given = _CallInput(item.tool or "", item.arguments)
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
    result = item.result or ""
    if item.parts:
        result += f"\n[{len(item.parts)} more part(s) that are not text]"
    if result and (whole or not (item.child is not None and item.ok)):
        style = DIM if item.ok else BAD
        result_lines = wrap_text(safe(result).strip("\n"), inner)
        lines += _under([Text(line, style) for line in result_lines], None if whole else FEW)
    if item.left_out and whole:
        lines.append(Text(f"  │ … {item.left_out:,} more characters", DIM))
    return lines


class _CallInput:
    """What a call was given: `about` in a line, and what deserves more."""

    def __init__(self, tool: str, given: Any) -> None:
        self._tool, self._given = tool, given
        self.about = tools().summary(tool, given)

    def lines(self, width: int, *, whole: bool) -> Iterator[Text]:
        given = self._given
        if not isinstance(given, dict):
            return
        changes = tools().changes(self._tool, given)
        for before, change in zip([None, *changes], changes, strict=False):
            if change.path not in (self.about, before and before.path):
                yield Text(short(change.path, width), DIM)
            yield from _changes(change.before, change.after, width)
        if whole and not changes:
            shown = msgspec.json.format(msgspec.json.encode(given)).decode()
            # In JSON a line's end within a text is two characters; here it is a line's end.
            for line in wrap_text(safe(shown.replace("\\n", "\n")), width):
                yield Text(line, DIM)


def _changes(old: str, new: str, width: int) -> Iterator[Text]:
    before, after = (text[:4000].split("\n") if text else [] for text in (old, new))
    if len(before) * len(after) > 10_000:
        compared = [*(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    else:
        compared = [line for line in ndiff(before, after) if not line.startswith("?")]
    for line in compared:
        style = {"-": BAD, "+": GOOD}.get(line[0], DIM)
        for part in wrap_text(safe(line), width):
            yield Text(part, style)


def _under(lines: list[Text], few: int | None) -> list[Text]:
    more = 0 if few is None else len(lines) - few
    kept = lines if more <= 1 else lines[:few]
    barred = [Text.assemble(("  │ ", DIM), line) for line in kept]
    if more > 1:
        barred.append(Text(f"  │ … {more} more lines", DIM))
    return barred


def _prompt(item: Item, width: int) -> list[Text]:
    lines = wrap_text(safe(item.text or "").strip("\n"), max(width - 2, 4))
    rendered = [Text.assemble(("▌ ", PROMPT), line) for line in lines]
    if item.resumes is not None:
        rendered.insert(0, Text(f"↻ continues stream {item.resumes}", DIM))
    return rendered


def _note(item: Item, width: int) -> list[Text]:
    note = note_of(item, tools())
    if note is None:
        return []
    style = TONES[note.tone]
    return [Text(line, style) for line in wrap_text(short(note.text, MAX_NOTE_CHARS), width)]
