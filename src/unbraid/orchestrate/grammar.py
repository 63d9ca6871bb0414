"""The commands in an agent's text, read as the text streams in.

- A command is a line that begins, at column 0, with `/` and a word that is known. Anything else,
  `/agents` and `see /agent` alike, is prose.
- `/parallel` and `/endparallel` stand alone on their lines. What stands between them belongs to
  the `/agent` line above it, so that a message may have several lines.
- Inside a fence (``` or ~~~) nothing is a command. A fence ends with a line of at least as many of
  the same characters and nothing else; one that opens inside another with an info string is nested.
- A line that the agent quotes (`is_quoted`) is prose, and so is every command below it: where an
  agent quotes, what comes next may belong to the quotation.
- Lines end with LF or CRLF, and with nothing else that Unicode may call a line end.
- Below too much prose nothing is a command any more: the turn is an answer.

How the text is cut into chunks changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from unicodedata import category, normalize

from msgspec import Struct

from unbraid.read.seen import forget_oldest

AGENT, PARALLEL, END = "agent", "parallel", "endparallel"
WORDS = frozenset((AGENT, PARALLEL, END))

_COMMAND = re.compile(r"/([^\s/]+)(?:[ \t]+(.*))?", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(.*)", re.DOTALL)


class FleetCommand(Struct, frozen=True):
    """One command. `children` are the lines of a `/parallel`; it is not `complete` when its end is
    missing.
    """

    word: str
    argument: str = ""
    children: tuple[FleetCommand, ...] = ()
    complete: bool = True

    @property
    def agent(self) -> str:
        """The agent that an `/agent` command names."""
        return "".join(self.argument.split(maxsplit=1)[:1])

    @property
    def message(self) -> str:
        """The message of an `/agent` command."""
        return "".join(self.argument.split(maxsplit=1)[1:])

    @property
    def label(self) -> str:
        """The command in the line that names the agents to which a turn delegates."""
        if self.word == AGENT:
            return self.agent[:80] or "/agent"
        if self.word == PARALLEL:
            return ", ".join(child.label for child in self.children) or "/parallel"
        return f"/{self.word} {self.argument[:80]}".strip()


class Parser:
    """Reads one turn of one agent."""

    def __init__(
        self,
        plugins: Collection[str] = (),
        *,
        is_quoted: Callable[[str], bool] = lambda line: False,
        opening_chars: int | None = None,
        until_delegating: bool = False,
    ) -> None:
        """Allows `opening_chars` characters of prose before a command; with `until_delegating`,
        only before the first command.
        """
        self.commands: list[FleetCommand] = []
        # Commands that came too late.
        self.late = 0
        # Commands that are quoted, or stand below one that is.
        self.quoted = 0
        self._is_quoted = is_quoted
        self._quoted_chars = 0
        self._words = WORDS | frozenset(plugins)
        self._longest = max(map(len, self._words)) + 1
        self._fences: list[tuple[str, int]] = []
        self._block: list[FleetCommand] | None = None
        self._line: list[str] = []
        self._line_chars = 0
        # How many of its parts are counted; how long it is without white space at its ends; how
        # much of that is behind it.
        self._line_counted, self._line_prose, self._line_blanks = 0, 0, 0
        self._head = ""
        self._prose = 0
        self._most_prose, self._until_delegating = opening_chars, until_delegating
        self._closed = False

    @property
    def delegating(self) -> bool:
        """Whether there is a command already, or the beginning of one."""
        return bool(self.commands) or (self._block is not None and not self._closed)

    @property
    def prose_chars(self) -> int:
        """How much has been said that surely is no command."""
        return self._prose + (0 if self._may_be_command() else self._count_line())

    @property
    def own_prose(self) -> int:
        """How much of what has been said is neither a command nor a quoted one."""
        return self.prose_chars - self._quoted_chars

    @property
    def at_line_start(self) -> bool:
        """Whether the next character stands at column 0."""
        return not self._line_chars

    def begin_opening(self, chars: int) -> None:
        """Lets so much prose stand before commands from here on."""
        self._most_prose = self.prose_chars + chars

    def close(self) -> None:
        """Takes no more commands; what looks like one from here on is counted as late."""
        self._closed = True

    def feed(self, text: str) -> None:
        """Reads more of the turn's text."""
        if "\n" in text:
            first, *rest = text.split("\n")
            self._more(first)
            for part in rest:
                self._end_line()
                self._more(part)
        else:
            self._more(text)

    def finish(self) -> list[FleetCommand]:
        """Ends the turn, and returns all its commands."""
        if self._line_chars:
            self._end_line()
        if self._block is not None:
            self._add(FleetCommand(PARALLEL, "", tuple(self._block), complete=False))
            self._block = None
        return self.commands

    def _more(self, part: str) -> None:
        if part:
            if len(self._head) <= self._longest:
                self._head += part[: self._longest + 1]
            self._line.append(part)
            self._line_chars += len(part)

    def _count_line(self) -> int:
        """Returns how long the line so far is, without white space at its ends."""
        # It may be asked after each token, so each is counted once.
        for part in self._line[self._line_counted :]:
            prose = self._line_prose
            begun = part if prose else part.lstrip()
            said = len(begun.rstrip())
            if said:
                self._line_prose = prose + self._line_blanks + said
                self._line_blanks = len(begun) - said
            elif prose:
                self._line_blanks += len(begun)
        self._line_counted = len(self._line)
        return self._line_prose

    def _may_be_command(self) -> bool:
        """Returns whether the line so far is, or may become, a command."""
        head = self._head
        if self._block is not None:
            return True
        if self._fences or not head.startswith("/"):
            return False
        word, *more = re.split(r"[ \t\r]", head[1:], maxsplit=1)
        return word in self._words if more else any(w.startswith(word) for w in self._words)

    def _end_line(self) -> None:
        line = "".join(self._line).removesuffix("\r")
        self._line, self._line_chars, self._head = [], 0, ""
        self._line_counted, self._line_prose, self._line_blanks = 0, 0, 0
        self._read_line(line)
        # Decided by whole lines: a chunk may hold the prose and the command below it.
        if self._most_prose is not None and self._prose > self._most_prose:
            self._closed |= not (self._until_delegating and self.delegating)

    def _read_line(self, line: str) -> None:
        if self._fence(line) or self._fences:
            self._add_prose(line)
            return
        command = self._command(line)
        if command is not None and self._quotes(line, command):
            self.quoted += 1
            self._block = None
            self._prose += len(line.strip())
            self._quoted_chars += len(line.strip())
        elif command is None:
            self._add_prose(line)
        elif command.word == PARALLEL and self._block is None:
            self._block = []
        elif command.word == END:
            if self._block is None:
                self._add_prose(line)
            else:
                self._add(FleetCommand(PARALLEL, "", tuple(map(_trimmed, self._block))))
                self._block = None
        elif self._block is not None:
            self._block.append(command)
        else:
            self._add(command)

    def _quotes(self, line: str, command: FleetCommand) -> bool:
        # The marks of a block have no argument, so they do not show who wrote them.
        return bool(self.quoted) or (bool(command.argument) and self._is_quoted(line))

    def _command(self, line: str) -> FleetCommand | None:
        found = _COMMAND.fullmatch(line.rstrip()) if line.startswith("/") else None
        if found is None or found[1] not in self._words:
            return None
        word, argument = found[1], (found[2] or "").strip()
        if argument and word in (PARALLEL, END):
            return None
        return FleetCommand(word, argument)

    def _fence(self, line: str) -> bool:
        """Returns whether the line opens or closes a fence."""
        found = _FENCE.fullmatch(line)
        if found is None:
            return False
        mark, size, info = found[1][0], len(found[1]), found[2].strip()
        if mark == "`" and "`" in info:
            return False
        if not self._fences:
            self._fences.append((mark, size))
            return True
        open_mark, open_size = self._fences[-1]
        if mark != open_mark or size < open_size:
            return False
        if info:
            self._fences.append((mark, size))
        else:
            self._fences.pop()
        return True

    def _add_prose(self, line: str) -> None:
        if self._block:
            last = self._block[-1]
            self._block[-1] = FleetCommand(last.word, f"{last.argument}\n{line}", last.children)
        elif self._block is None:
            self._prose += len(line.strip())

    def _add(self, command: FleetCommand) -> None:
        if self._closed:
            self.late += 1
        else:
            self.commands.append(command)


def _trimmed(command: FleetCommand) -> FleetCommand:
    return FleetCommand(command.word, command.argument.strip())


# --- quotations ---

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
    """What an agent was given by others, so that its quotations are not taken for its commands.

    A page, a file or another agent's answer may hold `/fetch http://…`. An agent that quotes it
    says it at the start of a line, like a command of its own. So whatever comes to an agent from
    tools and from other agents is remembered, as far as it looks like commands; a line that repeats
    it is quoted. What the person writes is not remembered: the person may give commands.

    Quotations are recognized whatever their white space is, wherever in a line the original stands,
    cut short, and also if the agent has added something at the end: a page may make up an address
    and let the agent append what it knows, to have that sent there. They are recognized, too, if
    the original has characters that are not seen, or that look like others: an agent may repeat it
    as it reads.
    """

    def __init__(self, plugins: Collection[str]) -> None:
        names, others = ("|".join(map(re.escape, words)) for words in ((*WORDS, *plugins), plugins))
        self._command = re.compile(rf"/(?:{names})(?=\s)")
        # What `/agent` names first is an agent, and its caller has to name it.
        self._address = re.compile(rf"/(?:{others})\s+\S+") if others else None
        # From a command on: up to the end of its line, and its first word with what it is about.
        self._known: dict[str, tuple[str, ...]] = {}

    def remember(self, text: str) -> None:
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
