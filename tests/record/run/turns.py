"""A session of three turns, each a process of its own."""

from __future__ import annotations

from unbraid.testing import Script, Spawn, bash, say

PROMPTS = ("[[main]] one", "two please", "three please")


def three_turns() -> Script:
    """An agent that is asked three times, and has a helper each time but the last."""
    return Script(
        {
            "main": [
                say("First, a helper.", Spawn("a", background=False)),
                say("First answer."),
                say("Second, another.", Spawn("b", background=False)),
                say("Second answer."),
                say("Third answer.", bash("echo three")),
                say("Third, done."),
            ],
            **{n: [say(f"{n} works", bash(f"echo {n}")), say(f"{n} is done")] for n in "ab"},
        }
    )


def words_of(turn: int, again: str = "--continue", session: str = "") -> list[str]:
    """What a CLI is asked in that turn; `again` is how it is told to go on with a session."""
    named = [again, session] if session else [again]
    return [*(named if turn else []), PROMPTS[turn]]
