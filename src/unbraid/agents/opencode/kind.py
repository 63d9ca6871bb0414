"""OpenCode, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.opencode.editions import OPENCODE, Edition, Editions
from unbraid.agents.port import (
    AgentKind,
    FileFormats,
    Finding,
    SessionStore,
    ToolFormat,
)
from unbraid.errors import SourceError

if TYPE_CHECKING:
    from unbraid.agents.opencode.dialect import OpenCodeDialect
    from unbraid.agents.opencode.store import Installation
    from unbraid.agents.port import Backend, CliHooks, Launcher

FIRST_DATABASE = (1, 2, 0)
# What each tool is for, and which argument of a call is what. Programs made from it have the same.
TOOLS = (
    ToolFormat(("bash",), "shell", command=("command",)),
    ToolFormat(("read",), summary=("filePath",)),
    ToolFormat(("list",), summary=("path",)),
    ToolFormat(("glob", "grep"), summary=("pattern",)),
    ToolFormat(("edit",), "edit", path="filePath", old="oldString", new="newString"),
    # As it asks for permission to write.
    ToolFormat(("edit",), "edit", path="filepath", patch="diff"),
    ToolFormat(
        ("multiedit",), "edit", path="filePath", edits="edits", old="oldString", new="newString"
    ),
    ToolFormat(("write",), "edit", path="filePath", new="content"),
    ToolFormat(("patch", "apply_patch"), "edit", patch="patchText"),
    ToolFormat(("todowrite",), "todo", todos="todos", todo=("content",)),
    ToolFormat(("task",), "agent", summary=("description", "prompt"), agent="subagent_type"),
    ToolFormat(("skill",), summary=("name",)),
    ToolFormat(("webfetch",), summary=("url",)),
    ToolFormat(("websearch", "codesearch"), summary=("query",)),
    ToolFormat(("question",), "question", questions="questions", multiple="multiple"),
    ToolFormat(("invalid",), summary=("error",)),
)


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
        from unbraid.agents.opencode.dialect import OpenCodeDialect

        return OpenCodeDialect(self._editions)

    def tools(self) -> tuple[ToolFormat, ...]:
        return TOOLS

    def launcher(self, env: Mapping[str, str]) -> Launcher:
        from unbraid.agents.opencode.launch import OpenCodeLauncher

        return OpenCodeLauncher(self._here(env))

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend:
        from unbraid.agents.opencode.backend import OpenCodeBackend

        return OpenCodeBackend(env=env, cwd=cwd, edition=self.edition)

    def hooks(self, env: Mapping[str, str]) -> CliHooks | None:
        """Returns what installs a plugin; None for its forks, which have not been seen to load
        one.
        """
        from unbraid.agents.opencode.hooks import OpenCodeHooks

        return OpenCodeHooks(env) if self.edition is OPENCODE else None

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns the program and its version, and the stored sessions there are."""
        import asyncio

        program = await self._program(env)
        stores = await asyncio.to_thread(self._stores, env)
        if self.edition != OPENCODE and not any(
            found.status == "ok" for found in (program, *stores)
        ):
            return [program]  # few have it: one line is enough
        return [program, *stores]

    async def _program(self, env: Mapping[str, str]) -> Finding:
        from unbraid.system.versions import installed

        program = await installed(self.name, env)
        if program is None:
            return Finding(self.title, "missing", f"no `{self.name}` on PATH")
        version, found = program
        if version and version < FIRST_DATABASE:
            shown = "its sessions are listed and opened, but not followed while they run"
            advice = "update to 1.2 or later, which keeps a database that can be followed"
            return Finding(self.title, "warning", f"{found}: {shown}", advice=advice)
        shown = "children appear while they run; a text appears when it is complete"
        return Finding(self.title, "ok", f"{found}: {shown}")

    def _stores(self, env: Mapping[str, str]) -> list[Finding]:
        from unbraid.agents.opencode.database import stored_sessions
        from unbraid.screen import counted

        about = "database" if self.edition == OPENCODE else f"{self.title} database"
        found: list[Finding] = []
        for store in self._here(env).stores:
            try:
                there = counted(len(stored_sessions(store)), "session")
                found.append(Finding(about, "ok", f"{there} in {store}"))
            except SourceError as error:
                found.append(Finding(about, "warning", str(error)))
        advice = f"set {self.edition.variable('DB')} if it is elsewhere"
        return found or [Finding(about, "missing", f"none of {self.title}", advice=advice)]

    def sessions(self, env: Mapping[str, str]) -> SessionStore:
        from unbraid.agents.opencode.store import OpenCodeSessions

        return OpenCodeSessions(self._here(env))

    def files(self) -> FileFormats:
        from unbraid.agents.opencode.database import OpenCodeFiles

        return OpenCodeFiles(self._editions)

    def _here(self, env: Mapping[str, str]) -> Installation:
        from unbraid.agents.opencode.store import Installation

        return Installation(env, self.edition, self._editions)

    @cached_property
    def _editions(self) -> Editions:
        """Returns every program whose lines and rows may look like its own."""
        from unbraid.agents.registry import built_in_kinds

        known = [each.edition for each in built_in_kinds() if isinstance(each, OpenCodeKind)]
        return Editions([self.edition, *known])
