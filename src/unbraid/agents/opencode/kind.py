"""OpenCode, as the registry knows it."""

from __future__ import annotations

from unbraid.agents.opencode.deltas import OpenCodeDeltas
from unbraid.agents.port import AgentKind, DeltaFormat


class OpenCode(AgentKind):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"

    def deltas(self) -> DeltaFormat:
        """The parts of its server's event stream."""
        return OpenCodeDeltas()
