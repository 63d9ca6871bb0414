"""OpenCode, and the programs made from it that kept its formats: what each calls itself and its
places.

All of them write the same lines and rows. Whose they are is shown by the version that a session
names: a fork counts its releases on its own.
"""

from __future__ import annotations

import re

from msgspec import Struct


class Edition(Struct, frozen=True):
    """One such program. `name` is also that of its folders, its database and its first command."""

    name: str
    title: str
    variables: str  # what the names of its environment variables begin with
    commands: tuple[str, ...]
    first_major: int  # from this release on, a version is this program's

    def variable(self, name: str) -> str:
        """Returns an environment variable of this program, by OpenCode's name without prefix."""
        return f"{self.variables}_{name}"


OPENCODE = Edition(
    name="opencode", title="OpenCode", variables="OPENCODE", commands=("opencode",), first_major=0
)
KILO = Edition(
    name="kilo", title="Kilo", variables="KILO", commands=("kilo", "kilocode"), first_major=7
)

_MAJOR = re.compile(r"(\d{1,4})\.\d")
_SESSION_VERSION = re.compile(rb'"version":\s?"(\d{1,4}\.\d[^"]{0,20})"')
# Fields that only the fork writes, in streams that name no version.
_KILO_MARK = re.compile(rb'"type":"sync","syncEvent"|"kilocode\.|"metrics":\{"generation"')


def edition_of_version(version: str | None) -> Edition:
    """Returns the program of which a session names this version."""
    major = _MAJOR.match(version or "")
    return KILO if major is not None and int(major[1]) >= KILO.first_major else OPENCODE


def edition_of_lines(lines: bytes) -> Edition:
    """Returns the program that wrote these lines, as far as they show it."""
    if _KILO_MARK.search(lines) is not None:
        return KILO
    found = _SESSION_VERSION.search(lines)
    return OPENCODE if found is None else edition_of_version(found[1].decode())
