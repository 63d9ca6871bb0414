"""Plain words inside Markdown: escaped where CommonMark or GitHub's dialect would act on them, and
nowhere else, so that they can also be read unrendered.

A forge looks for names, issues and addresses in what is rendered already, where no escape is left:
they become code, which notifies no one and links nothing. The text before and after is not known
here, so a character at either end is escaped if it could be active.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# An address, a name or mail address, an issue or merge request: with all that stands around it.
_REFERENCE = re.compile(
    r"(?:(?:[a-z][a-z0-9+.-]*)?://|www\.|mailto:|xmpp:)[^\s`]*"
    r"|[\w./+-]*@+\w[\w./@+-]*|[\w./-]*#+\w[\w/-]*|[\w./-]*!\d+|\bGH-\d+",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)                 # before what it would escape
      | [`|]
      | \*(?!(?<=\s\*)\s)                      # but not between spaces
      | (?<![^\W_])_ | _(?![^\W_])             # but not within a word
      | ~(?!(?<=\s~)[^~])                      # but not at the beginning of a word
      | <(?=[a-z/!?]|$)
      | &(?=\#?\w+;|\#?\w*$)
      | \$(?!\d)                               # amounts of money stay
      | \[(?![\w\s,.-]{0,80}\](?!$|[(\[:{]))   # but not one that ends as nothing
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What begins a block where a line begins.
_BEGINNING = re.compile(r"(?:#{1,6}|[-+*])(?=\s|$)|>|[-=:+](?=[-=:+\s]*$)|(?<=\d)[.)](?=\s|$)")
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_TICKS = re.compile(r"`+")


def plain(text: str) -> str:
    """Returns words of one line, which may follow other words, as Markdown that shows them."""
    shown, done = [], 0
    for found in _REFERENCE.finditer(text):
        shown += [_ACTIVE.sub(r"\\\g<0>", text[done : found.start()]), code(found[0])]
        done = found.end()
    return joined((*shown, _ACTIVE.sub(r"\\\g<0>", text[done:])))


def joined(parts: Iterable[str]) -> str:
    """Returns parts as one. Ticks of two parts do not touch: they would be other ticks."""
    whole: list[str] = []
    for part in filter(None, parts):
        if whole and whole[-1].endswith("`") and part.startswith("`"):
            whole.append(" ")
        whole.append(part)
    return "".join(whole)


def whole_line(shown: str) -> str:
    """Returns a line of Markdown made to begin no block."""
    shown = shown.strip()
    number = _NUMBER.match(shown)
    at = number.end() if number else 0
    found = _BEGINNING.match(shown, at)
    return f"{shown[:at]}\\{shown[at:]}" if found else shown


def code(text: str) -> str:
    """Returns text as code within a line."""
    text = " ".join(text.splitlines())
    ticks = {len(run) for run in _TICKS.findall(text)}
    fence = "`" * next(count for count in range(1, len(ticks) + 2) if count not in ticks)
    padded = not text.strip() or text[0] in "` " or text[-1] in "` "
    return f"{fence} {text} {fence}" if padded else f"{fence}{text}{fence}"


def one_line(text: str) -> str:
    """Returns words that begin a line of their own, such as a title."""
    return whole_line(plain(" ".join(text.split())))
