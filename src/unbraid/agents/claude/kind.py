"""Claude Code, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.port import (
    AgentKind,
    FileFormats,
    Finding,
    SessionStore,
    ToolFormat,
)

if TYPE_CHECKING:
    from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect
    from unbraid.agents.port import Backend, CliHooks, Launcher


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

    def dialect(self) -> ClaudeDialect:
        from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect

        return ClaudeDialect()

    def without_notes(self, text: str, *, of_agent: bool) -> str:
        from unbraid.agents.claude.notes import without_notes

        return without_notes(text, of_agent=of_agent)

    def tools(self) -> tuple[ToolFormat, ...]:
        from unbraid.agents.claude.tools import TOOLS

        return TOOLS

    def launcher(self, env: Mapping[str, str]) -> Launcher:
        from unbraid.agents.claude.process.launch import ClaudeLauncher

        return ClaudeLauncher(env)

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend:
        from unbraid.agents.claude.backend import ClaudeBackend

        return ClaudeBackend(env=env, cwd=cwd)

    def hooks(self, env: Mapping[str, str]) -> CliHooks:
        from unbraid.agents.claude.hooks.installer import ClaudeHooks

        return ClaudeHooks(env)

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        from unbraid.agents.claude.checkup import checkup

        return await checkup(env)

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        from unbraid.agents.claude.sessions.store import ClaudeSessions

        return ClaudeSessions(env)

    def files(self) -> FileFormats:
        from unbraid.agents.claude.sessions.file_formats import ClaudeFiles

        return ClaudeFiles()
