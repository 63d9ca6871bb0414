"""Claude Code, as the registry knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unbraid.agents.port import AgentKind

if TYPE_CHECKING:
    from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect


class ClaudeCode(AgentKind):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"

    def dialect(self) -> ClaudeDialect:
        """Translates the records of one run."""
        from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect

        return ClaudeDialect()
