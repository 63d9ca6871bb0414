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


def arguments(
    version: str, turn: int, again: str = "--continue", session: str = "", *, lines: bool = False
) -> list[str]:
    """What a CLI is called with for that turn; `again` is how it is told to go on with a session,
    and with `lines` it prints what `unbraid pipe` reads.
    """
    named = [again, session] if session else [again]
    words = [*(named if turn else []), PROMPTS[turn]]
    if version.startswith("opencode "):
        form = ["--format", "json", "--thinking"] if lines else []
        return ["run", *form, "--model", "scripted/one", *words]
    return ["-p", *(["--output-format", "stream-json", "--verbose"] if lines else []), *words]
