"""The title of a run: its title in the agent's CLI, or else its prompt."""

from __future__ import annotations

import re

TITLE_CHARS = 200

# What stands before the words of a line: tags, headings, quotes, points of a list.
_MARKUP = re.compile(r"(?:\s|</?[A-Za-z][\w-]*(?:\s[^<>]*)?>|#{1,6}\s|>\s|[-*+]\s|\d+[.)]\s)*")
# Not the stars of a redacted secret.
_EMPHASIS = re.compile(r"(?<!\*)\*\*(?!\*)|__|`")
# One star on either side of words; not those of `*.py *.ts`.
_STARRED = re.compile(r"(?<![\w*])\*(?![\s*.])([^*]*[^\s*])\*(?![\w*])")


def title_of(text: str | None) -> str | None:
    """Returns a title in one line, cut to the length that lists show; None if it is empty."""
    return " ".join((text or "")[: 4 * TITLE_CHARS].split())[:TITLE_CHARS] or None


def prompt_title(prompt: str | None) -> str | None:
    """Returns the first paragraph of a prompt that has words, without its markup."""
    words: list[str] = []
    for line in (prompt or "")[: 20 * TITLE_CHARS].splitlines():
        markup = _MARKUP.match(line)
        plain = _EMPHASIS.sub("", line[markup.end() if markup is not None else 0 :])
        plain = _STARRED.sub(r"\1", plain)
        if any(map(str.isalnum, plain)):
            words.append(plain)
        if words and (line.startswith("#") or not line.strip()):
            break
    return title_of(" ".join(words)) or title_of(prompt)
