"""Text cut into lines of a screen, by the cells its characters take."""

from __future__ import annotations

import re

from rich.cells import chop_cells
from rich.console import Console
from rich.text import Text

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
