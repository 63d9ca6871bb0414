"""An orchestrated agent as its file describes it, and the limits of what it may do and spend."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1, le=10**12)]
# The upper end keeps out what YAML calls .inf and .nan.
Amount = Annotated[float, Meta(gt=0, le=1e9)]


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of an agent or of a whole request; None is no bound of its own.

    `turns` are model turns, `children` delegations, `tokens` all tokens in and out, `dollars` what
    the backend says it cost, `seconds` from its start.
    """

    turns: Count | None = None
    children: Count | None = None
    tokens: Count | None = None
    dollars: Amount | None = None
    seconds: Amount | None = None

    def lowered(self, other: Limits) -> Limits:
        """Returns these bounds, with another's where those are lower."""
        own, others = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        lower = {name: min(own[name] or value, value) for name, value in others.items() if value}
        return msgspec.structs.replace(self, **lower)

    def filled(self, other: Limits) -> Limits:
        """Returns these bounds, with another's where these have none."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if value}
        return msgspec.structs.replace(other, **own)


class AgentSpec(Struct, frozen=True):
    """An agent that can be asked: a name, what it is for, and how it is run.

    `prompt` is its system prompt. `model` None is the backend's default, `backend` None the
    orchestrator's. `tools` None is every tool there is, an empty list none; `denied` are those that
    it may not use all the same. Commands of the orchestrator are among them as `/agent`,
    `/parallel`, `/fetch`. `path` and `line` say where the prompt begins in the file that it comes
    from; a built-in agent has none.
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

    @property
    def backend_tools(self) -> tuple[str, ...] | None:
        """Its tools without the orchestrator's commands; None is every tool."""
        if self.tools is None:
            return None
        return tuple(tool for tool in self.tools if not tool.startswith("/"))
