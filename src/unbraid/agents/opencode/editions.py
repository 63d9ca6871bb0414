"""OpenCode, and the programs made from it that kept its formats: what each calls itself and where
it keeps what.

All of them write the same lines and rows. Whose they are is shown by the version that a session
names, because a fork counts its releases on its own, and by what only one of them writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct


class Edition(Struct, frozen=True):
    """One such program: all that a fork differs in. `name` is also that of its folders, its
    database and its first command.
    """

    name: str
    title: str
    variables: str  # what the names of its environment variables begin with
    commands: tuple[str, ...]
    agent_folders: tuple[str, ...] = ()  # where a project keeps files that describe agents
    first_major: int = 0  # from this release on, a version is this program's
    own_fields: re.Pattern[bytes] | None = None  # in lines that only this program writes
    transient_field: tuple[str, str] | None = None  # in the metadata of parts that are no words
    silent_events: tuple[str, ...] = ()  # types of events that say nothing, by their beginning

    def variable(self, name: str) -> str:
        """Returns an environment variable of this program, by OpenCode's name without prefix."""
        return f"{self.variables}_{name}"


OPENCODE = Edition(
    name="opencode",
    title="OpenCode",
    variables="OPENCODE",
    commands=("opencode",),
    agent_folders=(".opencode/agent",),
)

_MAJOR = re.compile(r"(\d{1,4})\.\d")
_SESSION_VERSION = re.compile(rb'"version":\s?"(\d{1,4}\.\d[^"]{0,20})"')


class Editions:
    """OpenCode and its forks, one of which has written something."""

    def __init__(self, editions: Iterable[Edition] = ()) -> None:
        forks = {each for each in editions if each != OPENCODE}
        self.forks = sorted(forks, key=lambda each: each.first_major, reverse=True)
        self.silent_events = tuple(event for each in self.forks for event in each.silent_events)
        self._transient = [each.transient_field for each in self.forks if each.transient_field]

    def of_version(self, version: str | None) -> Edition:
        """Returns the program of which a session names this version."""
        found = _MAJOR.match(version or "")
        major = 0 if found is None else int(found[1])
        return next((each for each in self.forks if major >= each.first_major), OPENCODE)

    def of_lines(self, lines: bytes) -> Edition:
        """Returns the program that wrote these lines, as far as they show it."""
        for each in self.forks:
            if each.own_fields is not None and each.own_fields.search(lines) is not None:
                return each
        found = _SESSION_VERSION.search(lines)
        return self.of_version(None if found is None else found[1].decode())

    def is_transient(self, metadata: Any) -> bool:
        """Returns whether a part with such metadata is no agent's words: the program shows it in
        the agent's message, and takes it out again.
        """
        return isinstance(metadata, dict) and any(
            metadata.get(name) == value for name, value in self._transient
        )


# Where no fork can have written it.
UNFORKED = Editions()
