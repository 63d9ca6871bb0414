"""The kinds of agents there are: ours, and those that other packages bring.

A package brings one by an entry point of the group `unbraid.agents` that names an `AgentKind`
subclass. One that cannot be used is left out, and `unbraid doctor` says why. Nothing of our own
kinds is imported before it is asked for.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from unbraid.agents.port import AgentKind, Dialect, SessionStore
from unbraid.errors import SourceError
from unbraid.fold.tool_formats import ToolFormat, ToolTable
from unbraid.system.files import read_small

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "unbraid.agents"
_INFO_ENDINGS = ("dist-info", "egg-info")
BUILT_IN = (
    "unbraid.agents.claude.kind:ClaudeCode",
    "unbraid.agents.opencode.kind:OpenCodeKind",
    "unbraid.agents.kilo.kind:kilo_kind",
    "unbraid.agents.codex.kind:Codex",
)


class _Plugins(NamedTuple):
    kinds: tuple[AgentKind, ...]
    problems: dict[str, str]


@cache
def kinds() -> tuple[AgentKind, ...]:
    """Every kind, ours first. One that another package brings cannot take the name of ours."""
    return (*built_in_kinds(), *_plugins().kinds)


def plugin_problems() -> Mapping[str, str]:
    """Returns the entry points of other packages that could not be used, and why."""
    return _plugins().problems


def built_in_kinds() -> tuple[AgentKind, ...]:
    """Returns our own kinds."""
    places = (place.partition(":") for place in BUILT_IN)
    return tuple(getattr(importlib.import_module(module), name)() for module, _, name in places)


@cache
def _plugins() -> _Plugins:
    found: list[AgentKind] = []
    problems: dict[str, str] = {}
    names = {each.name for each in built_in_kinds()}
    for entry in _entries() if _may_have_entries() else ():
        from unbraid.agents.plugin import load_plugin

        # Another package's code may fail in any way: our own kinds have to work without it.
        try:
            brought = load_plugin(entry, partial(problems.setdefault, entry.name))
            if brought.name in names:
                raise ValueError(f"a kind named {brought.name} already exists")
            found.append(brought)
            names.add(brought.name)
        except Exception as error:
            problems[entry.name] = f"{entry.value}: {type(error).__name__}: {error}"
    return _Plugins(tuple(found), problems)


def _entries() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _may_have_entries() -> bool:
    """Returns whether a package may bring a kind. Most people have none, and asking the standard
    library takes as long as a quarter of a command's start.
    """
    for place in sys.path:
        try:
            with os.scandir(place or ".") as found:
                infos = [each.path for each in found if each.name.lower().endswith(_INFO_ENDINGS)]
        except FileNotFoundError:
            continue
        except OSError:
            return True  # an archive, perhaps, or what an import hook alone understands
        for info in infos:
            try:
                if GROUP.encode() in read_small(f"{info}/entry_points.txt", links=True):
                    return True
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return True
    return False


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


@cache
def tools() -> ToolTable:
    """Returns what is known of the tools of all kinds."""
    declared = [kind.tools() for kind in kinds()]
    # Those of another package may be anything.
    formats = (each for found in declared if isinstance(found, tuple) for each in found)
    return ToolTable(each for each in formats if isinstance(each, ToolFormat))


def delta_dialects() -> list[Dialect[Any]]:
    """Returns dialects of all kinds whose lines carry text in small parts; one of each class, which
    a program and those made from it have together.
    """
    found: dict[type, Dialect[Any]] = {}
    for each in kinds():
        with suppress(SourceError):  # that of another package may fail whenever it is asked
            dialect = each.dialect()
            if dialect.delta_signs:
                found.setdefault(type(dialect), dialect)
    return list(found.values())
