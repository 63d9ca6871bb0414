"""An agent as its file describes it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from unbraid.orchestrate.limits import Limits

MASTER = "index"

# Our commands by the names that Claude Code and OpenCode have for the same thing.
ALSO_CALLED = {
    "agent": ("Task", "Agent", "task"),
    "parallel": ("Task", "Agent", "task"),
    "fetch": ("WebFetch", "webfetch"),
}


class Agent(Struct, frozen=True):
    """Who can be asked: a name, what it is for, and how it is run.

    `prompt` is its system prompt. `model` None is the backend's default, `backend` None the
    orchestrator's. `tools` None is every tool there is, an empty list none; `denied` are those that
    it may not use all the same. Commands of ours are among them as `/agent`, `/parallel`, `/fetch`.
    `path` and `line` say where the prompt begins in the file that it comes from; a built-in agent
    has none.
    """

    name: str
    description: str = ""
    prompt: str = ""
    model: str | None = None
    tools: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()
    backend: str | None = None
    limits: Limits = Limits()
    path: Path | None = None
    line: int = 0

    def may(self, command: str) -> bool:
        """Whether it may use a command of ours."""
        names = (f"/{command}", *ALSO_CALLED.get(command, ()))
        if any(name in self.denied for name in names):
            return False
        return self.tools is None or any(name in self.tools for name in names)

    @property
    def backend_tools(self) -> tuple[str, ...] | None:
        """Its tools but for our commands; None is every tool."""
        if self.tools is None:
            return None
        return tuple(tool for tool in self.tools if not tool.startswith("/"))
