"""Scenarios by name: situations in which agents' words are easily lost, doubled or misplaced."""

from __future__ import annotations

from collections.abc import Callable

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


def single() -> Script:
    """One agent: thinking, text, a tool call, an answer."""
    first = say(ScriptedThinking("Let me look."), "I will run a command.", bash("echo one"))
    return Script({"main": [first, say("Done: one.")]})


def fan_same_opening() -> Script:
    """Two sub-agents that begin with the same text, longer than any fingerprint."""
    return Script(
        {
            "main": [
                say(ScriptedThinking("Fan out."), "Plan: two helpers.", Spawn("a"), Spawn("b")),
                say("Both done."),
                say("Both done, again."),
            ],
            **{
                name: [say(_OPENING, bash(f"echo from-{name}")), say(f"{_OPENING} {name} has it.")]
                for name in "ab"
            },
        }
    )


def fan_four() -> Script:
    """Four sub-agents of two types, each with three turns, that finish out of order."""
    agents = {
        "main": [
            say("Four helpers.", *(Spawn(f"w{n}", subagent_type=_kind(n)) for n in range(4))),
            say("All four are back."),
            say("Really."),
            say("Yes."),
        ]
    }
    for n in range(4):
        agents[f"w{n}"] = [
            say(
                ScriptedThinking(f"worker {n} thinks"),
                f"worker {n} starts",
                bash(f"echo w{n}; sleep 0.{3 - n}"),
            ),
            say(f"worker {n} goes on", bash(f"echo again-{n}")),
            say(f"worker {n} is done"),
        ]
    return Script(agents)


def _kind(number: int) -> str:
    return "Explore" if number % 2 else "general-purpose"


def nested() -> Script:
    """A sub-agent of a sub-agent."""
    return Script(
        {
            "main": [say("Delegating down.", Spawn("mid")), say("Mid came back."), say("End.")],
            "mid": [
                say("mid delegates further", Spawn("leaf")),
                say("leaf answered"),
                say("mid ends"),
            ],
            "leaf": _worker("leaf"),
        }
    )


def deep_fan() -> Script:
    """Two leads with three workers each, all six with the same opening."""
    agents = {
        "main": [
            say("Two leads, three workers each.", Spawn("lead1"), Spawn("lead2")),
            say("Leads back."),
            say("End."),
            say("End again."),
        ]
    }
    for lead in (1, 2):
        workers = [f"l{lead}w{n}" for n in range(3)]
        agents[f"lead{lead}"] = [
            say(f"lead{lead} fans out", *map(Spawn, workers)),
            say(f"lead{lead} sums up"),
        ]
        agents |= {name: _worker(name, opening=_OPENING) for name in workers}
    return Script(agents)


def twins() -> Script:
    """Equal blocks in one message, and equal messages."""
    again = say("ok", "ok", bash("echo same"))
    return Script({"main": [again, again, say("ok")]})


def unicode() -> Script:
    """Characters that split lines, terminals, pages and UTF-8 readers."""
    shell = bash("printf 'h\\303\\251llo \\360\\237\\232\\200\\n'")
    return Script(
        {"main": [say(ScriptedThinking(_UNICODE), _UNICODE, shell), say(f"{_UNICODE} end")]}
    )


def failing_tool() -> Script:
    """Tools that fail."""
    missing = ScriptedToolUse("Read", {"file_path": "missing/file.txt"})
    return Script(
        {
            "main": [
                say("This will fail.", bash("exit 3")),
                say("It failed, and a missing file too.", missing),
                say("Both failed."),
            ]
        }
    )


def parallel_tools() -> Script:
    """Three tool calls in one message."""
    calls = [bash(f"echo p{n}") for n in (1, 2, 3)]
    return Script({"main": [say("Three at once.", *calls), say("Three results.")]})


def api_error() -> Script:
    """The model refuses for good."""
    error = HttpError(400, "invalid_request_error", "scripted bad request", times=None)
    return Script({"main": [say("Never said.", failure=error)]})


def api_retry() -> Script:
    """The model is overloaded once."""
    late = say("Worked at the second try.", bash("echo late"), failure=HttpError())
    return Script({"main": [late, say("End.")]})


def api_cut() -> Script:
    """The connection breaks in the middle of an answer, once."""
    cut = say(
        "Broken off at first.",
        bash("echo whole"),
        chunk_chars=6,
        failure=ScriptedCut(after_chunks=4),
    )
    return Script({"main": [cut, say("End.")]})


def child_fails() -> Script:
    """One sub-agent works, the other one's model refuses."""
    error = HttpError(400, "invalid_request_error", "scripted bad request", times=None)
    return Script(
        {
            "main": [
                say("One helper will break.", Spawn("good"), Spawn("bad")),
                say("One broke."),
                say("End."),
                say("End 2."),
            ],
            "good": _worker("good"),
            "bad": [say("bad starts", bash("echo bad")), say("Never said.", failure=error)],
        }
    )


def many_turns() -> Script:
    """Several prompts in one session."""
    return Script(
        {
            "main": [
                say("First answer."),
                say("Second answer.", bash("echo two")),
                say("Second, done."),
                say("Third answer."),
            ]
        }
    )


def permission() -> Script:
    """Two tools that ask: one is allowed, one is not."""
    return Script(
        {
            "main": [
                say("May I?", bash("touch allowed.txt")),
                say(
                    "And this?",
                    ScriptedToolUse("Write", {"file_path": "denied.txt", "content": "no"}),
                ),
                say("One yes, one no."),
            ]
        }
    )


def interrupt() -> Script:
    """A long answer, interrupted."""
    counting = "Counting " + " ".join(map(str, range(400)))
    slow = say(counting, chunk_chars=8, chunk_delay_seconds=0.05)
    return Script({"main": [slow, say("After the interrupt.")]})


def background() -> Script:
    """A sub-agent in the background while its parent works on."""
    return Script(
        {
            "main": [
                say("Starting one in the background.", Spawn("bg", background=True)),
                say("Meanwhile, my own work.", bash("sleep 1; echo mine")),
                say("Waiting."),
                say("It has reported."),
            ],
            "bg": _worker("bg", command="sleep 0.5; echo bg"),
        }
    )


def resumed() -> Script:
    """A sub-agent that is asked again after it has answered."""
    return Script(
        {
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
        }
    )


def workflow() -> Script:
    """Agents that a script spawns: two in parallel, then one."""
    return Script(
        {
            "main": [
                say("A workflow.", Workflow(_WORKFLOW, ("wf1", "wf2", "wf3"))),
                say("It runs."),
                say("It is through."),
            ],
            "wf1": _worker("wf1"),
            "wf2": _worker("wf2"),
            "wf3": [say("wf3 sums up")],
        }
    )


def text_json() -> Script:
    """An answer that is JSON itself."""
    return Script({"main": [say('{"answer": 42, "quoted": "a \\"b\\""}')]})


def quoted_text() -> Script:
    """An answer in quotation marks."""
    return Script({"main": [say('"Just this, in quotes"')]})


def big_lines() -> Script:
    """Lines far longer than a pipe's buffer."""
    return Script(
        {
            "main": [
                say("Printing a lot.", bash("printf 'x%.0s' $(seq 1 25000)")),
                say("L" * 60_000, bash("seq 1 4000"), chunk_chars=4000),
                say("That was long."),
            ]
        }
    )


def compacted() -> Script:
    """A context that is replaced by a summary between two turns."""
    return Script(
        {
            "main": [
                say("Said before the compaction.", bash("echo before")),
                say("First turn over."),
                say("Said after the compaction."),
            ]
        }
    )


_MAKERS: tuple[Callable[[], Script], ...] = (
    single, fan_same_opening, fan_four, nested, deep_fan, twins, unicode, failing_tool,
    parallel_tools, api_error, api_retry, api_cut, child_fails, many_turns, permission, interrupt,
    background, resumed, workflow, text_json, quoted_text, big_lines,
    compacted,
)  # fmt: skip

NAMES = tuple(maker.__name__.replace("_", "-") for maker in _MAKERS)


def scenario(name: str) -> Script:
    """The scenario of that name."""
    made = dict(zip(NAMES, _MAKERS, strict=True))[name]()
    return Script(made.agents, name)


def prompts(name: str) -> tuple[str, ...]:
    """What the person says in that scenario, prompt by prompt."""
    match name:
        case "many-turns":
            return ("[[main]] one", "two please", "three please")
        case "compacted":
            return ("[[main]] one", "/compact", "two please")
        case "interrupt":
            return ("[[main]] count", "go on")
        case _:
            return ("[[main]] Go.",)
