"""What a scripted model will say: agents by name, each a list of turns, each turn a list of blocks.

An agent is known by its marker, `[[name]]`, in the first message that it is sent. `main` is the one
that the person speaks to; the others are reached by a `Spawn` or a `Workflow`. Spawn an agent once:
two agents of one name are one conversation to the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

_MARKER = re.compile(r"\[\[([\w.-]+)\]\]")


def marker(agent: str) -> str:
    """Returns the text by which the model knows an agent again."""
    return f"[[{agent}]]"


def markers(text: str) -> list[str]:
    """Returns the names in a text's markers, in order."""
    return _MARKER.findall(text)


@dataclass(frozen=True)
class ScriptedText:
    """A text block."""

    text: str


@dataclass(frozen=True)
class ScriptedThinking:
    """A thinking block (OpenAI's dialect: `reasoning_content`)."""

    text: str


@dataclass(frozen=True)
class ScriptedToolUse:
    """A tool call as Claude Code names it; the model fits it to the CLI that asks."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Spawn:
    """A call that starts another agent of the script; `background` None leaves it to the CLI."""

    child: str
    background: bool | None = None
    subagent_type: str | None = None
    prompt: str = "Do your part."


@dataclass(frozen=True)
class SendMessage:
    """A call that continues an agent that was spawned before."""

    child: str
    message: str = "Please go on."


@dataclass(frozen=True)
class Wait:
    """A call that waits for an agent, where spawning one does not: Codex's."""

    child: str


@dataclass(frozen=True)
class Workflow:
    """A script that spawns agents; `children` are those of ours that it starts."""

    script: str
    children: Sequence[str] = ()


Block = ScriptedText | ScriptedThinking | ScriptedToolUse | Spawn | SendMessage | Wait | Workflow


@dataclass(frozen=True)
class HttpError:
    """Refuse the request with a status, `times` times (None: always), then answer."""

    status: int = 529
    error: str = "overloaded_error"
    message: str = "scripted overload"
    times: int | None = 1


@dataclass(frozen=True)
class StreamError:
    """Begin to answer, then send an error event, `times` times."""

    after_chunks: int = 3
    error: str = "overloaded_error"
    message: str = "scripted overload"
    times: int | None = 1


@dataclass(frozen=True)
class ScriptedCut:
    """Begin to answer, then drop the connection, `times` times."""

    after_chunks: int = 3
    times: int | None = 1


Failure = HttpError | StreamError | ScriptedCut


@dataclass(frozen=True)
class ScriptedUsage:
    """The token counts of one answer; `output_tokens` None counts roughly what is said."""

    input_tokens: int = 100
    output_tokens: int | None = None
    cache_read_tokens: int = 3000
    cache_creation_tokens: int = 20


@dataclass(frozen=True)
class Turn:
    """One answer of an agent, and how it is delivered."""

    blocks: Sequence[Block]
    delay_seconds: float = 0.0
    chunk_delay_seconds: float = 0.0
    chunk_chars: int = 40
    failure: Failure | None = None
    usage: ScriptedUsage = ScriptedUsage()


def say(
    *blocks: Block | str,
    delay_seconds: float = 0.0,
    chunk_delay_seconds: float = 0.0,
    chunk_chars: int = 40,
    failure: Failure | None = None,
    usage: ScriptedUsage | None = None,
) -> Turn:
    """Returns a turn of these blocks, where a plain string is a text block."""
    return Turn(
        blocks=[ScriptedText(block) if isinstance(block, str) else block for block in blocks],
        delay_seconds=delay_seconds,
        chunk_delay_seconds=chunk_delay_seconds,
        chunk_chars=chunk_chars,
        failure=failure,
        usage=usage or ScriptedUsage(),
    )


def bash(command: str) -> ScriptedToolUse:
    """Returns a call of the shell tool."""
    return ScriptedToolUse("Bash", {"command": command, "description": command[:32]})


@dataclass(frozen=True)
class Script:
    """Everything that every agent of a run will say."""

    agents: Mapping[str, Sequence[Turn]]
    name: str = "script"

    def turn(self, agent: str, number: int) -> Turn:
        """That turn of that agent; past its last one, it says that it has nothing to add."""
        turns = self.agents[agent]
        if number < len(turns):
            return turns[number]
        return say(f"({agent} has nothing more to say, turn {number}.)")
