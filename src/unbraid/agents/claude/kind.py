"""Claude Code, as the registry knows it."""

from __future__ import annotations

from unbraid.agents.port import AgentKind


class ClaudeCode(AgentKind):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
