"""Codex, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.port import AgentKind, FileFormats

if TYPE_CHECKING:
    from unbraid.agents.codex.dialect.dispatcher import CodexDialect


class Codex(AgentKind):
    """Codex."""

    name = "codex"
    title = "Codex"
    program = "codex"
    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "agent": ("spawn_agent",),
        "parallel": ("spawn_agent",),
    }

    def dialect(self) -> CodexDialect:
        """Translates the records of one run."""
        from unbraid.agents.codex.dialect.dispatcher import CodexDialect

        return CodexDialect()

    def files(self) -> FileFormats:
        """Returns what its sessions look like in files."""
        from unbraid.agents.codex.sessions.file_formats import CodexFiles

        return CodexFiles()
