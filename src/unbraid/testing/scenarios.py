"""Scenarios by name: situations in which agents' words are easily lost, doubled or misplaced."""

from __future__ import annotations

from .script import (
    HttpError,
    Script,
    ScriptedCut,
    ScriptedThinking,
    ScriptedToolUse,
    SendMessage,
    Spawn,
    Turn,
    Workflow,
    bash,
    say,
)

_OPENING = (
    "I'll begin by looking through the project for the files that matter, "
    "and then I will tell you what is there."
)
_UNICODE = (
    "naïve café — 日本語テスト 🧑‍🚀👩🏽‍💻 \u2028 line \u0085 next \x0c page \t tab"
    ' "quotes" \\back\\ </script> <b>x</b> \x1b[31mred\x1b[0m'
)
_WORKFLOW = """\
export const meta = { name: 'two-then-one', description: 'two in parallel, then one', \
phases: [{ title: 'Both' }, { title: 'Sum' }] }
phase('Both')
const both = await parallel([() => agent('[[wf1]] Do your part.', { label: 'one' }), \
() => agent('[[wf2]] Do your part.', { label: 'two' })])
phase('Sum')
const sum = await agent('[[wf3]] Sum up: ' + both.length, { label: 'sum' })
return sum
"""


def _worker(name: str, *, opening: str | None = None, command: str | None = None) -> list[Turn]:
    return [
        say(opening or f"{name} works", bash(command or f"echo {name}")),
        say(f"{name} is done"),
    ]


def _same_opening(name: str) -> list[Turn]:
    return [say(_OPENING, bash(f"echo from-{name}")), say(f"{_OPENING} {name} has it.")]


def _one_of_four(number: int) -> list[Turn]:
    return [
        say(
            ScriptedThinking(f"worker {number} thinks"),
            f"worker {number} starts",
            bash(f"echo w{number}; sleep 0.{3 - number}"),
        ),
        say(f"worker {number} goes on", bash(f"echo again-{number}")),
        say(f"worker {number} is done"),
    ]


def _lead(number: int) -> dict[str, list[Turn]]:
    lead, workers = f"lead{number}", [f"l{number}w{each}" for each in range(3)]
    return {
        lead: [say(f"{lead} fans out", *map(Spawn, workers)), say(f"{lead} sums up")],
        **{name: _worker(name, opening=_OPENING) for name in workers},
    }


_TWIN = say("ok", "ok", bash("echo same"))
_REFUSAL = HttpError(400, "invalid_request_error", "scripted bad request", times=None)

# By name: what each agent of a scenario says.
SCENARIOS: dict[str, dict[str, list[Turn]]] = {
    # One agent: thinking, text, a tool call, an answer.
    "single": {
        "main": [
            say(ScriptedThinking("Let me look."), "I will run a command.", bash("echo one")),
            say("Done: one."),
        ],
    },
    # Two sub-agents that begin with the same text, longer than any fingerprint.
    "fan-same-opening": {
        "main": [
            say(ScriptedThinking("Fan out."), "Plan: two helpers.", Spawn("a"), Spawn("b")),
            say("Both done."),
            say("Both done, again."),
        ],
        "a": _same_opening("a"),
        "b": _same_opening("b"),
    },
    # Four sub-agents of two types, each with three turns, that finish out of order.
    "fan-four": {
        "main": [
            say(
                "Four helpers.",
                Spawn("w0", subagent_type="general-purpose"),
                Spawn("w1", subagent_type="Explore"),
                Spawn("w2", subagent_type="general-purpose"),
                Spawn("w3", subagent_type="Explore"),
            ),
            say("All four are back."),
            say("Really."),
            say("Yes."),
        ],
        **{f"w{number}": _one_of_four(number) for number in range(4)},
    },
    # A sub-agent of a sub-agent.
    "nested": {
        "main": [say("Delegating down.", Spawn("mid")), say("Mid came back."), say("End.")],
        "mid": [say("mid delegates further", Spawn("leaf")), say("leaf answered"), say("mid ends")],
        "leaf": _worker("leaf"),
    },
    # Two leads with three workers each, all six with the same opening.
    "deep-fan": {
        "main": [
            say("Two leads, three workers each.", Spawn("lead1"), Spawn("lead2")),
            say("Leads back."),
            say("End."),
            say("End again."),
        ],
        **_lead(1),
        **_lead(2),
    },
    # Equal blocks in one message, and equal messages.
    "twins": {"main": [_TWIN, _TWIN, say("ok")]},
    # Characters that split lines, terminals, pages and UTF-8 readers.
    "unicode": {
        "main": [
            say(
                ScriptedThinking(_UNICODE),
                _UNICODE,
                bash("printf 'h\\303\\251llo \\360\\237\\232\\200\\n'"),
            ),
            say(f"{_UNICODE} end"),
        ],
    },
    # Tools that fail.
    "failing-tool": {
        "main": [
            say("This will fail.", bash("exit 3")),
            say(
                "It failed, and a missing file too.",
                ScriptedToolUse("Read", {"file_path": "missing/file.txt"}),
            ),
            say("Both failed."),
        ],
    },
    # Three tool calls in one message.
    "parallel-tools": {
        "main": [
            say("Three at once.", bash("echo p1"), bash("echo p2"), bash("echo p3")),
            say("Three results."),
        ],
    },
    # The model refuses for good.
    "api-error": {"main": [say("Never said.", failure=_REFUSAL)]},
    # The model is overloaded once.
    "api-retry": {
        "main": [
            say("Worked at the second try.", bash("echo late"), failure=HttpError()),
            say("End."),
        ],
    },
    # The connection breaks in the middle of an answer, once.
    "api-cut": {
        "main": [
            say(
                "Broken off at first.",
                bash("echo whole"),
                chunk_chars=6,
                failure=ScriptedCut(after_chunks=4),
            ),
            say("End."),
        ],
    },
    # One sub-agent works, the other one's model refuses.
    "child-fails": {
        "main": [
            say("One helper will break.", Spawn("good"), Spawn("bad")),
            say("One broke."),
            say("End."),
            say("End 2."),
        ],
        "good": _worker("good"),
        "bad": [say("bad starts", bash("echo bad")), say("Never said.", failure=_REFUSAL)],
    },
    # Several prompts in one session.
    "many-turns": {
        "main": [
            say("First answer."),
            say("Second answer.", bash("echo two")),
            say("Second, done."),
            say("Third answer."),
        ],
    },
    # Two tools that ask: one is allowed, one is not.
    "permission": {
        "main": [
            say("May I?", bash("touch allowed.txt")),
            say(
                "And this?", ScriptedToolUse("Write", {"file_path": "denied.txt", "content": "no"})
            ),
            say("One yes, one no."),
        ],
    },
    # A long answer, interrupted.
    "interrupt": {
        "main": [
            say(
                "Counting " + " ".join(map(str, range(400))),
                chunk_chars=8,
                chunk_delay_seconds=0.05,
            ),
            say("After the interrupt."),
        ],
    },
    # A sub-agent in the background while its parent works on.
    "background": {
        "main": [
            say("Starting one in the background.", Spawn("bg", background=True)),
            say("Meanwhile, my own work.", bash("sleep 1; echo mine")),
            say("Waiting."),
            say("It has reported."),
        ],
        "bg": _worker("bg", command="sleep 0.5; echo bg"),
    },
    # A sub-agent that is asked again after it has answered.
    "resumed": {
        "main": [
            say("First, a helper.", Spawn("kid", background=False)),
            say("Now again.", SendMessage("kid")),
            say("Kid was asked again."),
            say("Kid is through."),
        ],
        "kid": [
            say("kid works", bash("echo kid")),
            say("kid is done once"),
            say("kid goes on", bash("echo kid2")),
            say("kid is done twice"),
        ],
    },
    # Agents that a script spawns: two in parallel, then one.
    "workflow": {
        "main": [
            say("A workflow.", Workflow(_WORKFLOW, ("wf1", "wf2", "wf3"))),
            say("It runs."),
            say("It is through."),
        ],
        "wf1": _worker("wf1"),
        "wf2": _worker("wf2"),
        "wf3": [say("wf3 sums up")],
    },
    # An answer that is JSON itself.
    "text-json": {"main": [say('{"answer": 42, "quoted": "a \\"b\\""}')]},
    # An answer in quotation marks.
    "quoted-text": {"main": [say('"Just this, in quotes"')]},
    # Lines far longer than a pipe's buffer.
    "big-lines": {
        "main": [
            say("Printing a lot.", bash("printf 'x%.0s' $(seq 1 25000)")),
            say("L" * 60_000, bash("seq 1 4000"), chunk_chars=4000),
            say("That was long."),
        ],
    },
    # A context that is replaced by a summary between two turns.
    "compacted": {
        "main": [
            say("Said before the compaction.", bash("echo before")),
            say("First turn over."),
            say("Said after the compaction."),
        ],
    },
}

NAMES = tuple(SCENARIOS)

# What the person says, prompt by prompt, where it is more than to go.
_PROMPTS = {
    "many-turns": ("[[main]] one", "two please", "three please"),
    "compacted": ("[[main]] one", "/compact", "two please"),
    "interrupt": ("[[main]] count", "go on"),
}


def scenario(name: str) -> Script:
    """The scenario of that name."""
    return Script(SCENARIOS[name], name)


def prompts(name: str) -> tuple[str, ...]:
    """What the person says in that scenario, prompt by prompt."""
    return _PROMPTS.get(name, ("[[main]] Go.",))
