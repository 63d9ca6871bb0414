"""An agent as its file describes it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from unbraid.orchestrate.limits import Limits

MASTER = "index"


class Agent(Struct, frozen=True):
    """Who can be asked: a name, what it is for, and how it is run.

    `prompt` is its system prompt. `model` None is the backend's default, `backend` None the
    orchestrator's. `tools` None is every tool its backend has, an empty list none. `path` and
    `line` say where the prompt begins in the file that it comes from; a built-in agent has none.
    """

    name: str
    description: str = ""
    prompt: str = ""
    model: str | None = None
    tools: tuple[str, ...] | None = None
    backend: str | None = None
    limits: Limits = Limits()
    path: Path | None = None
    line: int = 0
