"""A person's command line: whose program it starts, and what options it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

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
