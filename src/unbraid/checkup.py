"""What is on this machine, what of it can be seen, and what to do about the rest."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.agents.claude.discovery import Scan
from unbraid.agents.claude.places import claude_projects
from unbraid.agents.claude.releases import FIRST_FORWARDING, version_of
from unbraid.agents.opencode.index import opencode_rows
from unbraid.agents.opencode.places import opencode_stores
from unbraid.errors import LogError, SourceError
from unbraid.log import SqliteLog, data_folder

FIRST_NESTING = (2, 1, 0)
FIRST_DATABASE = (1, 2, 0)


class Finding(Struct, omit_defaults=True):
    """One thing that was looked at: ok, warning or missing; and what to do about it."""

    about: str
    status: str
    found: str
    advice: str | None = None


async def checkup(env: Mapping[str, str]) -> list[Finding]:
    """Everything, in the order in which it matters."""
    return [
        *await _claude(env),
        *await _opencode(env),
        *_histories(env),
        await _log(env),
    ]


async def _claude(env: Mapping[str, str]) -> list[Finding]:
    program = shutil.which("claude", path=env.get("PATH"))
    if program is None:
        return [Finding("Claude Code", "missing", "no `claude` on PATH")]
    version = await version_of([program])
    name = ".".join(map(str, version)) or "of unknown version"
    found = f"{name} at {program}"
    if version >= FIRST_FORWARDING:
        return [Finding("Claude Code", "ok", f"{found}: every agent's words, live on stdout")]
    if version >= FIRST_NESTING:
        shown = "sub-agents' texts are not printed; they come from their transcripts, live"
    elif version >= (2, 0, 0):
        shown = "sub-agents' texts and ids are not printed; they come from their transcripts, live"
    else:
        shown = "sub-agents' texts are known only when they are over"
    advice = "update to 2.1.211 or later, and `unbraid run` shows them as they are said"
    return [Finding("Claude Code", "warning", f"{found}: {shown}", advice)]


async def _opencode(env: Mapping[str, str]) -> list[Finding]:
    program = shutil.which("opencode", path=env.get("PATH"))
    if program is None:
        return [Finding("OpenCode", "missing", "no `opencode` on PATH")]
    version = await version_of([program])
    name = ".".join(map(str, version)) or "of unknown version"
    if version and version < FIRST_DATABASE:
        shown = "its sessions are listed and opened, but not followed while they run"
        advice = "update to 1.2 or later, which keeps a database that can be followed"
        return [Finding("OpenCode", "warning", f"{name} at {program}: {shown}", advice)]
    shown = "children appear while they run; a text appears when it is complete"
    return [Finding("OpenCode", "ok", f"{name} at {program}: {shown}")]


def _histories(env: Mapping[str, str]) -> list[Finding]:
    found: list[Finding] = []
    folders = claude_projects(env)
    if folders:
        scan = Scan.of(env)
        places = ", ".join(map(str, folders))
        there = _number(len(scan.sessions), "session")
        found.append(Finding("transcripts", "ok", f"{there} in {places}"))
        found += [
            Finding("transcripts", "warning", f"{folder}: {problem}", "let yourself read it")
            for folder, problem in scan.problems.items()
        ]
    else:
        advice = "set CLAUDE_CONFIG_DIR if they lie elsewhere"
        found.append(Finding("transcripts", "missing", "no folder of Claude Code's", advice))
    stores = opencode_stores(env)
    if not stores:
        advice = "set OPENCODE_DB if it lies elsewhere"
        found.append(Finding("database", "missing", "none of OpenCode's", advice))
    for store in stores:
        try:
            there = _number(len(opencode_rows(store)), "session")
            found.append(Finding("database", "ok", f"{there} in {store}"))
        except SourceError as error:
            found.append(Finding("database", "warning", str(error)))
    return found


async def _log(env: Mapping[str, str]) -> Finding:
    folder = data_folder(env)
    try:
        log = await SqliteLog.open(folder / "log.db")
        try:
            await log.check()
            runs = len(await log.runs(limit=1_000_000))
        finally:
            await log.close()
    except LogError as error:
        advice = "until then agents run as always, but are not logged"
        return Finding("log", "warning", str(error), advice)
    free = await asyncio.to_thread(shutil.disk_usage, folder)
    left = f"{free.free / 1e9:.0f} GB free"
    return Finding("log", "ok", f"{_number(runs, 'run')} in {Path(folder)}, {left}")


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
