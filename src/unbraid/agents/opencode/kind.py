"""OpenCode, as the registry knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unbraid.agents.port import AgentKind

if TYPE_CHECKING:
    from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect


class OpenCode(AgentKind):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"

    def dialect(self) -> OpenCodeDialect:
        """Translates the records of one run."""
        from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect

        return OpenCodeDialect()
