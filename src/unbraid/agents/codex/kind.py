"""Codex, as the registry knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from unbraid.agents.port import AgentKind, Finding, ToolFormat
from unbraid.screen import counted

if TYPE_CHECKING:
    from unbraid.agents.codex.dialect.dispatcher import CodexDialect


TOOLS = (
    ToolFormat(("shell", "exec_command"), "shell", command=("cmd", "command")),
    ToolFormat(("exec",), summary=("input",)),
    ToolFormat(("write_stdin",), summary=("chars",)),
    ToolFormat(("apply_patch", "fileChange"), "edit", changes="changes", patch="input"),
    ToolFormat(("update_plan",), "todo", todos="plan", todo=("step", "text")),
    ToolFormat(("spawn_agent",), "agent", summary=("message",), agent="agent_type"),
    ToolFormat(
        ("send_input", "send_message", "followup_task", "resume_agent"),
        summary=("message", "target", "id"),
    ),
    ToolFormat(
        ("wait", "wait_agent", "close_agent", "interrupt_agent"),
        summary=("target", "targets", "ids", "id"),
    ),
    ToolFormat(("view_image",), summary=("path",)),
    ToolFormat(("web_search",), summary=("query",)),
)
# Before it there are no sub-agents.
_FIRST_WITH_AGENTS = (0, 98, 0)


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
    parts: ClassVar[Mapping[str, str]] = {
        "backend": "unbraid.agents.codex.backend:CodexBackend",
        "files": "unbraid.agents.codex.rollouts:CodexFiles",
        "launcher": "unbraid.agents.codex.launch:CodexLauncher",
        "sessions": "unbraid.agents.codex.sessions:CodexSessions",
    }

    def dialect(self) -> CodexDialect:
        """Returns a dialect that translates the records of one run."""
        from unbraid.agents.codex.dialect.dispatcher import CodexDialect

        return CodexDialect()

    def tools(self) -> tuple[ToolFormat, ...]:
        """Returns what its tools are for."""
        return TOOLS

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns findings about the program and its stored sessions."""
        import asyncio

        from unbraid.agents.codex.rollouts import RolloutFolders, codex_home
        from unbraid.system.versions import installed

        program = await installed("codex", env)
        folders = RolloutFolders.of(env)
        if program is None:
            found = [Finding("Codex", "missing", "no `codex` on PATH")]
        else:
            version, where = program
            shown = "sub-agents appear while they run; a text appears when it is complete"
            if version and version < _FIRST_WITH_AGENTS:
                shown = "this version has no sub-agents"
            found = [Finding("Codex", "ok", f"{where}: {shown}")]
        if folders.folders():
            threads = await asyncio.to_thread(folders.files)
            there = f"{counted(len(threads), 'thread')} in {codex_home(env)}"
            found.append(Finding("rollouts", "ok", there))
        elif program is not None:
            advice = "set CODEX_HOME if it is elsewhere"
            found.append(Finding("rollouts", "missing", "none of Codex", advice=advice))
        return found
