"""What `unbraid doctor` says about Claude Code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from unbraid.agents.claude.process.command import (
    FIRST_FILE_PER_AGENT,
    FIRST_FORWARDING,
    FIRST_NESTING,
)
from unbraid.agents.claude.sessions.layout import Scan, claude_projects
from unbraid.agents.port import Finding
from unbraid.screen import counted
from unbraid.system.versions import installed


async def checkup(env: Mapping[str, str]) -> list[Finding]:
    """Returns the program and its version, and the transcripts there are."""
    return [await _program(env), *await asyncio.to_thread(_transcripts, env)]


async def _program(env: Mapping[str, str]) -> Finding:
    program = await installed("claude", env)
    if program is None:
        return Finding("Claude Code", "missing", "no `claude` on PATH")
    version, found = program
    if version >= FIRST_FORWARDING:
        return Finding("Claude Code", "ok", f"{found}: all agents are visible, live on stdout")
    if version >= FIRST_NESTING:
        shown = "sub-agents' texts are not printed; they come from their transcripts, live"
    elif version >= FIRST_FILE_PER_AGENT:
        shown = "sub-agents' texts and ids are not printed; they come from their transcripts, live"
    else:
        shown = "sub-agents' texts appear only when the sub-agents have ended"
    advice = "update to 2.1.211 or later to see them live in `unbraid run`"
    return Finding("Claude Code", "warning", f"{found}: {shown}", advice=advice)


def _transcripts(env: Mapping[str, str]) -> list[Finding]:
    folders = claude_projects(env)
    if not folders:
        advice = "set CLAUDE_CONFIG_DIR if they are elsewhere"
        return [Finding("transcripts", "missing", "not found", advice=advice)]
    scan = Scan(env)
    there = counted(len(scan.sessions), "session")
    return [
        Finding("transcripts", "ok", f"{there} in {', '.join(map(str, folders))}"),
        *(
            Finding(
                "transcripts",
                "warning",
                f"{folder}: {problem}",
                advice="permission denied: it cannot be read",
            )
            for folder, problem in scan.problems.items()
        ),
    ]
