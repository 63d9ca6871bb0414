"""What `unbraid doctor` says about Codex."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from unbraid.agents.codex.places import codex_folders, codex_home
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.port import Finding
from unbraid.screen import counted
from unbraid.system.versions import Release, installed

# Before it there are no sub-agents.
FIRST_WITH_AGENTS: Release = (0, 98, 0)


async def checkup(env: Mapping[str, str]) -> list[Finding]:
    """Returns the program and its version, and the stored sessions there are."""
    program = await installed("codex", env)
    folders = codex_folders(env)
    if program is None:
        found = [Finding("Codex", "missing", "no `codex` on PATH")]
    else:
        version, where = program
        shown = "sub-agents appear while they run; a text appears when it is complete"
        if version and version < FIRST_WITH_AGENTS:
            shown = "this version has no sub-agents"
        found = [Finding("Codex", "ok", f"{where}: {shown}")]
    if folders:
        threads = await asyncio.to_thread(RolloutFolders(folders).files)
        there = f"{counted(len(threads), 'thread')} in {codex_home(env)}"
        found.append(Finding("rollouts", "ok", there))
    elif program is not None:
        advice = "set CODEX_HOME if it is elsewhere"
        found.append(Finding("rollouts", "missing", "none of Codex", advice=advice))
    return found
