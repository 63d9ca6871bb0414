"""Claude Code, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.port import AgentKind, Finding, ToolFormat

if TYPE_CHECKING:
    from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect


class ClaudeCode(AgentKind):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
    program = "claude"
    place_variables = ("CLAUDE_CONFIG_DIR",)
    agent_folders = (".claude/agents",)
    home_agent_folders = (".claude/agents",)
    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "agent": ("Task", "Agent"),
        "parallel": ("Task", "Agent"),
        "fetch": ("WebFetch",),
    }
    steered_command = 'unbraid run --steer -- claude -p "…"'
    parts: ClassVar[Mapping[str, str]] = {
        "backend": "unbraid.agents.claude.backend:ClaudeBackend",
        "files": "unbraid.agents.claude.sessions.file_formats:ClaudeFiles",
        "hooks": "unbraid.agents.claude.hooks.installer:ClaudeHooks",
        "launcher": "unbraid.agents.claude.process.launch:ClaudeLauncher",
        "sessions": "unbraid.agents.claude.sessions.store:ClaudeSessions",
    }

    def dialect(self) -> ClaudeDialect:
        from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect

        return ClaudeDialect()

    def without_notes(self, text: str, *, of_agent: bool) -> str:
        from unbraid.agents.claude.notes import without_notes

        return without_notes(text, of_agent=of_agent)

    def tools(self) -> tuple[ToolFormat, ...]:
        from unbraid.agents.claude.tools import TOOLS

        return TOOLS

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        from unbraid.agents.claude.checkup import checkup

        return await checkup(env)
