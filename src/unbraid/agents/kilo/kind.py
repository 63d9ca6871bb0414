"""Kilo, as the registry knows it: a program made from OpenCode, with folders of its own."""

from __future__ import annotations

from unbraid.agents.kilo.edition import KILO
from unbraid.agents.opencode.kind import OpenCodeKind


def kilo_kind() -> OpenCodeKind:
    """Returns Kilo as a kind of agents."""
    return OpenCodeKind(KILO)
