"""Codex, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.port import (
    AgentKind,
    DeltaFormat,
    FileFormats,
    Finding,
    Resumer,
    SessionStore,
    ToolFormat,
)

if TYPE_CHECKING:
    from unbraid.agents.backend_port import Backend
    from unbraid.agents.codex.dialect.dispatcher import CodexDialect
    from unbraid.agents.process_port import Launcher


class Codex(AgentKind):
    """Codex."""

    name = "codex"
    title = "Codex"
    program = "codex"
    place_variables = ("CODEX_HOME",)
    steered_command = 'unbraid run --steer -- codex exec "…"'
    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "agent": ("spawn_agent",),
        "parallel": ("spawn_agent",),
    }

    def dialect(self) -> CodexDialect:
        """Returns a dialect that translates the records of one run."""
        from unbraid.agents.codex.dialect.dispatcher import CodexDialect

        return CodexDialect()

    def tools(self) -> tuple[ToolFormat, ...]:
        """Returns what its tools are for."""
        from unbraid.agents.codex.tools import TOOLS

        return TOOLS

    def launcher(self, env: Mapping[str, str]) -> Launcher:
        """Returns what starts `codex`, and reads its rollouts."""
        from unbraid.agents.codex.launch import CodexLauncher

        return CodexLauncher(env)

    def resumer(self, env: Mapping[str, str]) -> Resumer:
        """Returns what resumes threads, those of sub-agents too."""
        from unbraid.agents.codex.resume import CodexResumer

        return CodexResumer(env)

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend:
        """Returns what runs agents in app-servers of their own."""
        from unbraid.agents.codex.backend import CodexBackend

        return CodexBackend(env=env, cwd=cwd)

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns findings about the program and its stored sessions."""
        from unbraid.agents.codex.checkup import checkup

        return await checkup(env)

    def deltas(self) -> DeltaFormat:
        """Returns the parts of its app-server's notifications."""
        from unbraid.agents.codex.deltas import CodexDeltas

        return CodexDeltas()

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        """Returns its stored sessions on this machine."""
        from unbraid.agents.codex.sessions.store import CodexSessions

        return CodexSessions(env)

    def files(self) -> FileFormats:
        """Returns what its sessions look like in files."""
        from unbraid.agents.codex.sessions.file_formats import CodexFiles

        return CodexFiles()
