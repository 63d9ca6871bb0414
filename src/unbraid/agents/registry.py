"""The kinds of agents there are: ours, and those that other packages bring.

A package brings one by an entry point of the group `unbraid.agents` that names an `AgentKind`
subclass. Nothing of a kind is imported before it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

from unbraid.agents.port import AgentKind, DeltaFormat, SessionStore

GROUP = "unbraid.agents"
BUILT_IN = (
    "unbraid.agents.claude.kind:ClaudeCode",
    "unbraid.agents.opencode.kind:OpenCode",
)


@cache
def kinds() -> tuple[AgentKind, ...]:
    """Every kind, ours first."""
    found: dict[str, AgentKind] = {}
    for place in BUILT_IN:
        module, _, name = place.partition(":")
        made: AgentKind = getattr(importlib.import_module(module), name)()
        found[made.name] = made
    for entry in entry_points(group=GROUP):
        brought: AgentKind = entry.load()()
        found.setdefault(brought.name, brought)
    return tuple(found.values())


def kind(name: str) -> AgentKind | None:
    """Returns the kind of that name."""
    return next((each for each in kinds() if each.name == name), None)


def stores(env: Mapping[str, str]) -> dict[str, SessionStore]:
    """Returns the stored sessions of every kind that keeps some, by the kind's name."""
    found = {each.name: each.sessions(env) for each in kinds()}
    return {name: store for name, store in found.items() if store is not None}


def is_kind(name: str) -> bool:
    """Returns whether a run's `source` is a kind of agent, and not something else that can be
    logged.
    """
    return kind(name) is not None


def delta_formats() -> tuple[DeltaFormat, ...]:
    """Returns how the kinds' lines carry text in small parts, for those that do."""
    return tuple(found for each in kinds() if (found := each.deltas()) is not None)
