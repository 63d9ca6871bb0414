"""OpenCode, as the registry knows it."""

from __future__ import annotations

from unbraid.agents.port import AgentKind


class OpenCode(AgentKind):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"
