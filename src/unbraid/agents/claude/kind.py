"""Claude Code, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping

from unbraid.agents.port import AgentKind, FileFormats, SessionStore


class ClaudeCode(AgentKind):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        """Its stored sessions on this machine."""
        from unbraid.agents.claude.store import ClaudeSessions

        return ClaudeSessions(env)

    def files(self) -> FileFormats:
        """What its sessions look like in files."""
        from unbraid.agents.claude.file_formats import ClaudeFiles

        return ClaudeFiles()
