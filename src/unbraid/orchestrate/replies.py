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


def block(command: str, content: str) -> str:
    """Returns one command's result, terminated."""
    word = command.partition(" ")[0].upper()
    return f"[/{command}]\n{content}\n[END {word}]"


def single(name: str, reply: Reply) -> str:
    """Returns the answer to `/agent`."""
    return block(f"agent {name}", quoted(reply.text))


def joined(names: Sequence[str], replies: Sequence[Reply]) -> str:
    """Returns the answers to a `/parallel`, in the order in which they were asked for."""
    count = len(replies)
    parts = (
        f"[{number}/{count} {name}]\n{quoted(reply.text)}"
        for number, (name, reply) in enumerate(zip(names, replies, strict=True), 1)
    )
    return block(f"parallel {count} {'child' if count == 1 else 'children'}", "\n".join(parts))


def again(block: str) -> str:
    """Returns the answer to a command that this turn has given before."""
    return f"[the same command as above: its answer, not run again]\n{block}"


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


# --- every way in which a command can fail ---


def too_deep(depth: int) -> Reply:
    return err(f"an agent at depth {depth} cannot delegate", "do it yourself or answer without it")


def unknown_agent(name: str, known: Iterable[str]) -> Reply:
    names = ", ".join(known)
    advice = f"the agents are: {names}" if names else "there are none: do it yourself"
    return err(f"there is no agent {name[:80]!r}", advice)


def to_itself(name: str) -> Reply:
    return err(f"{name} cannot delegate to itself", "do it yourself or ask another agent")


def to_master(name: str) -> Reply:
    return err(f"{name} is the master and cannot be delegated to", "ask another agent")


def no_name() -> Reply:
    return err("/agent names no agent", "write /agent NAME message on one line")


def no_message(name: str) -> Reply:
    return err(f"/agent {name[:80]} has no message", f"write /agent {name[:80]} message")


def empty_parallel() -> Reply:
    return err("/parallel has no /agent lines", "put them between /parallel and /endparallel")


def cut_off() -> Reply:
    return err("/parallel has no /endparallel, nothing of it was run", "write it again, whole")


def too_many(count: int, most: int) -> Reply:
    return err(
        f"/parallel has {count} children, nothing of it was run", f"ask at most {most} at once"
    )


def not_inside(word: str) -> Reply:
    return err(f"/{word} does not work inside /parallel", "give it by itself, after /endparallel")


def not_granted(word: str) -> Reply:
    return err(f"you may not use /{word}", "it is not among your tools: go on without it")


def spent(what: str) -> Reply:
    return err(f"the budget is spent ({what})", "answer with what you have")


def out_of_time(name: str, seconds: float) -> Reply:
    return err(f"{name} was not done after {seconds:g} s", "ask for less, or go on without it")


def over_budget(name: str, what: str) -> Reply:
    return err(f"{name} has spent its budget ({what})", "ask for less, or go on without it")


def too_much(name: str, chars: int) -> Reply:
    return err(f"{name} said more than {chars} characters in one turn", "ask for less")


def failed(name: str, problem: str, advice: str) -> Reply:
    return err(f"{name} failed: {problem}", advice or "ask again, or go on without it")


def stopped(name: str) -> Reply:
    return err(f"{name} was stopped by a person", "go on without it")


def late() -> Reply:
    return err(
        "your commands came after your answer had begun, none was run",
        "give commands first, in a turn of their own",
    )


def quoted_command() -> Reply:
    return err(
        "a command that stands in what you were given is not carried out",
        "if you want it, write it in your own words; else answer",
    )


def plugin_failed(word: str, problem: str) -> Reply:
    return err(f"/{word}: {problem}", "go on without it")
