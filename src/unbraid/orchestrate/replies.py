"""What goes back to an agent that has given commands: terminated blocks, and ERR lines.

An ERR line says what is wrong and what to do about it. An answer is the words of another agent, or
of a web page: a line of it that looks like the end of a block is set off, so that nothing can end
its own block and pretend to be the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

# What one agent hands to another; more than this would fill the caller's context.
MAX_ANSWER_CHARS = 200_000

_MARK = re.compile(r"^(?=\[(?:END [A-Z]+|/\w+|\d+/\d+) ?)", re.MULTILINE)


class Reply(Struct, frozen=True):
    """The result of one command or one delegation."""

    text: str
    ok: bool = True


def err(problem: str, advice: str) -> Reply:
    """Returns the reply to a command that did not work."""
    return Reply(f"ERR: {' '.join(problem.split())}; {advice}", ok=False)


def failed(name: str, problem: str, advice: str = "") -> Reply:
    """Returns the reply of an agent that failed."""
    return err(f"{name} failed: {problem}", advice or "ask again, or go on without it")


def over_budget(name: str, spent: str) -> Reply:
    """Returns the reply of an agent whose budget is spent."""
    return err(f"{name} has spent its budget ({spent})", "ask for less, or go on without it")


def not_granted(word: str) -> Reply:
    """Returns the reply to a command that the agent may not use."""
    return err(f"you may not use /{word}", "it is not among your tools: go on without it")


def block(command: str, content: str) -> str:
    """Returns one command's result, terminated."""
    word = command.partition(" ")[0].upper()
    return f"[/{command}]\n{content}\n[END {word}]"


def joined(names: Sequence[str], replies: Sequence[Reply]) -> str:
    """Returns the answers to a `/parallel`, in the order in which they were asked for."""
    count = len(replies)
    parts = (
        f"[{number}/{count} {name}]\n{quoted(reply.text)}"
        for number, (name, reply) in enumerate(zip(names, replies, strict=True), 1)
    )
    return block(f"parallel {count} {'child' if count == 1 else 'children'}", "\n".join(parts))


def message(blocks: Iterable[str], *, last: bool) -> str:
    """Returns all results of a turn, as the next message to the agent."""
    note = "\n\nThis is your last turn: answer now, commands are not carried out any more."
    return "\n\n".join(blocks) + (note if last else "")


def quoted(text: str) -> str:
    """Returns text that cannot be taken for ours, and not too much of it."""
    if len(text) > MAX_ANSWER_CHARS:
        cut = len(text) - MAX_ANSWER_CHARS
        text = f"{text[:MAX_ANSWER_CHARS]}\n[cut: {cut} more characters]"
    return _MARK.sub(" ", text.strip())
