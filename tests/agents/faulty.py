"""A plugin's kind of agents in which one method of one part fails."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.agents.toy import ToyDialect
from unbraid.agents.file_watch import FileWatch
from unbraid.agents.files import DialectFiles, FilesFollower, JsonlSessions
from unbraid.agents.port import AgentKind, Finding
from unbraid.agents.source import Source

OWN = (__name__, ToyDialect.__module__, DialectFiles.__module__, FileWatch.__module__)


class SlowToyDialect(ToyDialect):
    """Its lines may carry text in small parts."""

    delta_signs = (b'"toy"',)

    def delta(self, line: bytes) -> None:
        """Returns None: all of them carry whole texts."""


class ToyLauncher:
    """There is no program to start; a pipe of its lines is read as any other."""

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether the program's name is `toy`."""
        return argv[0] == "toy"

    def piped(self, line: bytes) -> Source | None:
        """Returns None: its lines do not say whose they are."""
        return None


PARTS: dict[str, type] = {
    "dialect": SlowToyDialect,
    "sessions": JsonlSessions,
    "watch": FileWatch,
    "follower": FilesFollower,
    "files": DialectFiles,
    "launcher": ToyLauncher,
}


def methods(part: type) -> list[str]:
    """Returns the names of what a part has of its own, beside what its port gives it."""
    own = [each for each in part.__mro__ if each.__module__ in OWN]
    return list(dict.fromkeys(name for each in own for name in vars(each) if name[0] != "_"))


class Faulty(AgentKind):
    """Everything that a toy has; `fault` names the part and the method that fails."""

    name = "faulty"
    title = "Faulty"
    fault: ClassVar[tuple[str, str]] = ("", "")
    failed: ClassVar[list[str]] = []

    def __init__(self) -> None:
        if self.fault[0] == "kind" and self.fault[1] != "dialect":
            self.__class__ = failing(type(self), self.fault[1])

    def dialect(self) -> Any:
        """Reads records that have a field `toy`."""
        return _part("dialect")()

    def tools(self) -> Any:
        """Returns what no table can hold."""
        return [None]

    def sessions(self, env: Mapping[str, str]) -> Any:
        """Returns the files below its folder."""
        return _part("sessions")(self.name, Path(env["HOME"]) / "toys")

    def files(self) -> Any:
        """Returns the files that its dialect knows."""
        return _part("files")(self)

    def launcher(self, env: Mapping[str, str]) -> Any:
        """Returns what knows its command lines."""
        return _part("launcher")()

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Finds that all is well."""
        return [Finding("toys", "ok", "some")]


def _part(name: str) -> Any:
    return failing(PARTS[name], Faulty.fault[1]) if Faulty.fault[0] == name else PARTS[name]


def failing(part: type, method: str) -> Any:
    """Returns a class like another, one of whose methods fails when it is called."""
    whole = inspect.getattr_static(part, method, None)
    if isinstance(whole, property) or not callable(whole):
        return type("Failing", (part,), {method: property(_fail)})
    if method == "changes":
        return type("Failing", (part,), {method: _fail_later})
    return type("Failing", (part,), {method: _fail_awaited if method == "checkup" else _fail})


def _fail(*args: object, **named: object) -> Any:
    Faulty.failed.append(Faulty.fault[1])
    raise ZeroDivisionError("by zero")


async def _fail_awaited(*args: object, **named: object) -> Any:
    _fail()


async def _fail_later(*args: object) -> Any:
    yield set()
    _fail()
