"""OpenCode, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping

from unbraid.agents.port import AgentKind, FileFormats, SessionStore


class OpenCode(AgentKind):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        """Its stored sessions on this machine."""
        from unbraid.agents.opencode.store import OpenCodeSessions

        return OpenCodeSessions(env)

    def files(self) -> FileFormats:
        """What its sessions look like in files."""
        from unbraid.agents.opencode.file_formats import OpenCodeFiles

        return OpenCodeFiles()
