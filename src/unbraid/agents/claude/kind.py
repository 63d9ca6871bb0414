"""Claude Code, as the registry knows it."""

from __future__ import annotations

from unbraid.agents.claude.deltas import ClaudeDeltas
from unbraid.agents.port import AgentKind, DeltaFormat


class ClaudeCode(AgentKind):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"

    def deltas(self) -> DeltaFormat:
        """Its partial messages."""
        return ClaudeDeltas()
