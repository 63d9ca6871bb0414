"""What an agent was given by others, so that its quotations are not taken for its commands.

A page, a file or another agent's answer may hold `/fetch http://…`. An agent that quotes it says it
at the start of a line, like a command of its own. So whatever comes to an agent from tools and from
other agents is remembered, as far as it looks like commands; a line that repeats it is quoted. What
the person writes is not remembered: the person may give commands.

Quotations are recognized whatever their white space is, wherever in a line the original stands,
cut short, and also if the agent has added something at the end: a page may make up an address and
let the agent append what it knows, to have that sent there. They are recognized, too, if the
original has characters that are not seen, or that look like others: an agent may repeat it as it
reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from unicodedata import category, normalize

from unbraid.orchestrate.grammar import WORDS
from unbraid.read.seen import forget_oldest

# A quotation is recognized by so much of it, without white space.
COMPARED_CHARS = 2000
# What is shorter, behind the command's word, is a beginning that two commands may share by chance.
SHARED_CHARS = 16
# An agent reads no more than this of commands that are not its own.
MAX_REMEMBERED = 10_000


# Whatever may end a line somewhere: an agent shows each of them as a new line.
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*")
# What stands around an address in prose, and not in the command.
_AROUND = "`'\"\u201d\u2019»)]}>*_.,;:!"
_SLASHES = dict.fromkeys(map(ord, "\u2044\u2215\u29f8"), "/")


class GivenMaterial:
    """What one conversation was given."""

    def __init__(self, plugins: Collection[str]) -> None:
        names, others = ("|".join(map(re.escape, words)) for words in ((*WORDS, *plugins), plugins))
        self._command = re.compile(rf"/(?:{names})(?=\s)")
        # What `/agent` names first is an agent, and its caller has to name it.
        self._address = re.compile(rf"/(?:{others})\s+\S+") if others else None
        # From a command on: up to the end of its line, and its first word with what it is about.
        self._known: dict[str, tuple[str, ...]] = {}

    def note(self, text: str) -> None:
        """Remembers what looks like commands in a text that others have written."""
        text = _plain(text)
        for found in self._command.finditer(text):
            begin = found.start()
            line = _LINE.match(text, begin, begin + 2 * COMPARED_CHARS)
            address = self._address.match(text, begin) if self._address else None
            ends = [each[0] for each in (line, address) if each is not None]
            following = _packed(text[begin : begin + 2 * COMPARED_CHARS])
            self._known[following] = tuple(_packed(each.rstrip(_AROUND)) for each in ends)
        forget_oldest(self._known, MAX_REMEMBERED)

    def holds(self, line: str) -> bool:
        """Returns whether a command is a quotation."""
        said = _packed(_plain(line[: 2 * COMPARED_CHARS]))
        begun = len(line.split(maxsplit=1)[0]) + SHARED_CHARS
        return any(
            given.startswith(said)
            or any(len(each) >= begun and said.startswith(each) for each in begins)
            for given, begins in self._known.items()
        )


def _plain(text: str) -> str:
    """Returns a text as it reads: nothing that is not seen, and no look-alikes."""
    if not text.isascii():
        unseen = {ord(char): None for char in set(text) if category(char) == "Cf"}
        text = normalize("NFKC", text.translate({**_SLASHES, **unseen}))
    return text.casefold()


def _packed(text: str) -> str:
    return "".join(text.split())[:COMPARED_CHARS]
