"""What `unbraid doctor` says about OpenCode, or a program made from it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.places import opencode_stores
from unbraid.agents.opencode.sessions.index import stored_sessions
from unbraid.agents.port import Finding
from unbraid.errors import SourceError
from unbraid.screen import counted
from unbraid.system.versions import Release, installed

FIRST_DATABASE: Release = (1, 2, 0)


async def checkup(env: Mapping[str, str], edition: Edition = OPENCODE) -> list[Finding]:
    """Returns the program and its version, and the stored sessions there are."""
    program, stores = await _program(env, edition), await asyncio.to_thread(_stores, env, edition)
    if edition != OPENCODE and not any(found.status == "ok" for found in (program, *stores)):
        return [program]  # few have it: one line is enough
    return [program, *stores]


async def _program(env: Mapping[str, str], edition: Edition) -> Finding:
    program = await installed(edition.name, env)
    if program is None:
        return Finding(edition.title, "missing", f"no `{edition.name}` on PATH")
    version, found = program
    if version and version < FIRST_DATABASE:
        shown = "its sessions are listed and opened, but not followed while they run"
        advice = "update to 1.2 or later, which keeps a database that can be followed"
        return Finding(edition.title, "warning", f"{found}: {shown}", advice=advice)
    shown = "children appear while they run; a text appears when it is complete"
    return Finding(edition.title, "ok", f"{found}: {shown}")


def _about(edition: Edition) -> str:
    return "database" if edition == OPENCODE else f"{edition.title} database"


def _stores(env: Mapping[str, str], edition: Edition) -> list[Finding]:
    stores = opencode_stores(env, edition)
    if not stores:
        advice = f"set {edition.variable('DB')} if it is elsewhere"
        return [Finding(_about(edition), "missing", f"none of {edition.title}", advice=advice)]
    found: list[Finding] = []
    for store in stores:
        try:
            there = counted(len(stored_sessions(store)), "session")
            found.append(Finding(_about(edition), "ok", f"{there} in {store}"))
        except SourceError as error:
            found.append(Finding(_about(edition), "warning", str(error)))
    return found
