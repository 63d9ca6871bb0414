"""Command lines: which program one starts, which options it has, and which values may be part of
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from unbraid.errors import CallerError
from unbraid.screen import short

# Programs that start another one, named by one of the words behind them.
_RUNNERS = ("node", "bun", "npx", "env", "bunx")


def arguments_at(argv: Sequence[str], is_program: Callable[[str], bool]) -> int | None:
    """Returns where a program's own arguments begin; None if the command does not start it."""
    for number, word in enumerate(argv[:3]):
        if is_program(word):
            return number + 1
        if number == 0 and Path(word).name not in _RUNNERS:
            break
    return None


def option(args: Sequence[str], *names: str) -> str | None:
    """Returns the value of an option in any of its spellings; "" if it has none."""
    for number, word in enumerate(args):
        if word == "--":
            return None
        if word in names:
            return args[number + 1] if number + 1 < len(args) else ""
        for name in names:
            if name.startswith("--") and word.startswith(f"{name}="):
                return word[len(name) + 1 :]
    return None


NOT_STORED_HERE = "is not stored on this machine: it can be resumed only where it ran"


def checked_id(value: str, form: re.Pattern[str], what: str) -> str:
    """Returns an id out of a run, before it becomes an argument of a program. Raises CallerError if
    it does not have the form of such ids: one that begins with a dash would be an option.
    """
    if form.fullmatch(value) is None:
        raise CallerError(f"{short(value, 60)!r} is not the id of {what}: it cannot be resumed")
    return value
