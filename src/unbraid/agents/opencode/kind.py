"""OpenCode, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.port import AgentKind, DeltaFormat, FileFormats, Finding, Resumer, SessionStore

if TYPE_CHECKING:
    from unbraid.agents.backend_port import Backend
    from unbraid.agents.hook_port import CliHooks
    from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect
    from unbraid.agents.process_port import Launcher


class OpenCode(AgentKind):
    """OpenCode. A program made from it is a subclass with another edition."""

    edition: ClassVar[Edition] = OPENCODE
    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    place_variables: ClassVar[tuple[str, ...]] = (OPENCODE.variable("DB"),)
    agent_folders: ClassVar[tuple[str, ...]] = (".opencode/agent",)
    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "agent": ("task",),
        "parallel": ("task",),
        "fetch": ("webfetch",),
    }

    steered_command: ClassVar[str] = (
        "opencode serve --port 4096 & unbraid --opencode http://127.0.0.1:4096"
    )

    def dialect(self) -> OpenCodeDialect:
        """Translates the records of one run."""
        from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect

        return OpenCodeDialect()

    def launcher(self, env: Mapping[str, str]) -> Launcher:
        """Starts its program, and reads its database."""
        from unbraid.agents.opencode.launch import OpenCodeLauncher

        return OpenCodeLauncher(env, self.edition)

    def resumer(self, env: Mapping[str, str]) -> Resumer:
        """Resumes sessions, those of sub-agents too."""
        from unbraid.agents.opencode.resume import OpenCodeResumer

        return OpenCodeResumer(env, self.edition)

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend:
        """Runs agents in sessions of one server."""
        from unbraid.agents.opencode.backend import OpenCodeBackend

        return OpenCodeBackend(env=env, cwd=cwd, edition=self.edition)

    def hooks(self, env: Mapping[str, str]) -> CliHooks | None:
        """Installs a plugin; its forks have not been seen to load one."""
        from unbraid.agents.opencode.hooks.installer import OpenCodeHooks

        return OpenCodeHooks(env) if self.edition is OPENCODE else None

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Looks for the program and for its stored sessions."""
        from unbraid.agents.opencode.checkup import checkup

        return await checkup(env, self.edition)

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        """Returns its stored sessions on this machine."""
        from unbraid.agents.opencode.sessions.store import OpenCodeSessions

        return OpenCodeSessions(env, self.edition)

    def files(self) -> FileFormats:
        """Returns what its sessions look like in files."""
        from unbraid.agents.opencode.sessions.file_formats import OpenCodeFiles

        return OpenCodeFiles()

    def deltas(self) -> DeltaFormat | None:
        """Returns the parts of its server's event stream."""
        from unbraid.agents.opencode.deltas import OpenCodeDeltas

        return OpenCodeDeltas()
