"""OpenCode, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.opencode.editions import OPENCODE, Edition, Editions
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
    from unbraid.agents.hook_port import CliHooks
    from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect
    from unbraid.agents.process_port import Launcher


class OpenCodeKind(AgentKind):
    """OpenCode, or the program made from it that an edition describes."""

    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "agent": ("task",),
        "parallel": ("task",),
        "fetch": ("webfetch",),
    }

    def __init__(self, edition: Edition = OPENCODE) -> None:
        self.edition = edition
        self.name = self.program = edition.name
        self.title = edition.title
        self.place_variables = (edition.variable("DB"),)
        self.agent_folders = edition.agent_folders
        self.steered_command = (
            f"{edition.name} serve --port 4096 & unbraid --opencode http://127.0.0.1:4096"
        )

    def dialect(self) -> OpenCodeDialect:
        """Returns a dialect that translates the records of one run."""
        from unbraid.agents.opencode.dialect.dispatcher import OpenCodeDialect

        return OpenCodeDialect(self._editions)

    def tools(self) -> tuple[ToolFormat, ...]:
        """Returns what its tools are for."""
        from unbraid.agents.opencode.tools import TOOLS

        return TOOLS

    def launcher(self, env: Mapping[str, str]) -> Launcher:
        """Returns what starts its program, and reads its database."""
        from unbraid.agents.opencode.launch import OpenCodeLauncher

        return OpenCodeLauncher(env, self.edition, self._editions)

    def resumer(self, env: Mapping[str, str]) -> Resumer:
        """Returns what resumes sessions, those of sub-agents too."""
        from unbraid.agents.opencode.resume import OpenCodeResumer

        return OpenCodeResumer(env, self.edition)

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend:
        """Returns what runs agents in sessions of one server."""
        from unbraid.agents.opencode.backend import OpenCodeBackend

        return OpenCodeBackend(env=env, cwd=cwd, edition=self.edition)

    def hooks(self, env: Mapping[str, str]) -> CliHooks | None:
        """Returns what installs a plugin; None for its forks, which have not been seen to load
        one.
        """
        from unbraid.agents.opencode.hooks.installer import OpenCodeHooks

        return OpenCodeHooks(env) if self.edition is OPENCODE else None

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns findings about the program and its stored sessions."""
        from unbraid.agents.opencode.checkup import checkup

        return await checkup(env, self.edition)

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        """Returns its stored sessions on this machine."""
        from unbraid.agents.opencode.sessions.store import OpenCodeSessions

        return OpenCodeSessions(env, self.edition, self._editions)

    def files(self) -> FileFormats:
        """Returns what its sessions look like in files."""
        from unbraid.agents.opencode.sessions.file_formats import OpenCodeFiles

        return OpenCodeFiles(self._editions)

    def deltas(self) -> DeltaFormat | None:
        """Returns the parts of its server's event stream; None for a fork, whose lines are read as
        OpenCode's already.
        """
        from unbraid.agents.opencode.deltas import OpenCodeDeltas

        return OpenCodeDeltas() if self.edition is OPENCODE else None

    @cached_property
    def _editions(self) -> Editions:
        """Returns every program whose lines and rows may look like its own."""
        from unbraid.agents.registry import built_in_kinds

        known = [each.edition for each in built_in_kinds() if isinstance(each, OpenCodeKind)]
        return Editions([self.edition, *known])
