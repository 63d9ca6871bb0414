"""What an agent was given by others, so that its quotations are not taken for its commands.

A page, a file or another agent's answer may hold `/fetch http://…`. An agent that quotes it says it
at the start of a line, like a command of its own. So whatever comes to an agent from tools and from
other agents is remembered, as far as it looks like commands; a line that repeats it is quoted. What
the person writes is not: it may say what to do.

Quotations are recognized whatever their white space is, wherever in a line the original stands,
cut short, and also if the agent has added something at the end: an address that a page has made up,
with what the agent knows behind it, is how a page would have it sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from unbraid.orchestrate.grammar import WORDS

# A quotation is recognized by so much of it, without white space.
COMPARED_CHARS = 2000
# What is shorter, behind the command's word, is a beginning that two commands may share by chance.
SHARED_CHARS = 16
# An agent reads no more than this of commands that are not its own.
MAX_REMEMBERED = 10_000


class GivenMaterial:
    """What one conversation was given."""

    def __init__(self, plugins: Collection[str]) -> None:
        names = "|".join(map(re.escape, (*WORDS, *plugins)))
        self._command = re.compile(rf"/(?:{names})(?=\s)")
        self._known: dict[str, str] = {}  # from a command on, and up to the end of its line

    def note(self, text: str) -> None:
        """Remembers what looks like commands in a text that others have written."""
        for found in self._command.finditer(text):
            begin = found.start()
            line_end = text.find("\n", begin)
            line = text[begin : line_end if line_end >= 0 else len(text)]
            following = _packed(text[begin : begin + 2 * COMPARED_CHARS])
            self._known[following] = _packed(line[: 2 * COMPARED_CHARS])
            if len(self._known) > MAX_REMEMBERED:
                self._known.pop(next(iter(self._known)))

    def holds(self, line: str) -> bool:
        """Returns whether a command is a quotation."""
        said = _packed(line[: 2 * COMPARED_CHARS])
        begun = len(line.split(maxsplit=1)[0]) + SHARED_CHARS
        return any(
            given.startswith(said) or (len(its_line) >= begun and said.startswith(its_line))
            for given, its_line in self._known.items()
        )


def _packed(text: str) -> str:
    return "".join(text.split())[:COMPARED_CHARS]
