"""Homes with recorded sessions of several kinds: watched as they were written, or only stored."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from playwright.async_api import Page

from tests.block_rows import RECORDINGS
from tests.record.run.agents import log_path
from tests.web.views import becomes
from unbraid.machine import Machine
from unbraid.testing import load

FAN = "deep-fan.plain.2.1.197"
FAILING = "child-fails.plain.2.1.325"
COMPACTED = "compacted.stdin.2.1.325"
OPENCODE = "nested.run.opencode"
CODEX = "nested.app-server.codex-0.118.0"
NAMES = (FAN, FAILING, COMPACTED, OPENCODE, CODEX)
PLACES = {
    "projects": ".claude/projects",
    "sessions": ".codex/sessions",
    "opencode.db": ".local/share/opencode/opencode.db",
}


def env_of(home: Path) -> dict[str, str]:
    """The variables of a program whose home this is, and nothing else of ours."""
    return {"HOME": str(home), "PATH": os.environ["PATH"]}


def store(home: Path, name: str) -> None:
    """What the CLI of a recording has written, where it writes it."""
    for source, place in PLACES.items():
        path = RECORDINGS / name / source
        if path.is_dir():
            # Written now, and not when it was recorded.
            shutil.copytree(path, home / place, copy_function=shutil.copyfile, dirs_exist_ok=True)
        elif path.exists():
            (home / place).parent.mkdir(parents=True, exist_ok=True)
            whole = home / "whole.db"
            shutil.copyfile(path, whole)
            _written_now(whole)
            whole.rename(home / place)


def _written_now(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        for table in ("session", "message", "part"):
            late = f"{int(time.time() * 1000)} - (SELECT max(time_updated) FROM {table})"
            db.execute(f"UPDATE {table} SET time_updated = time_updated + {late}")


@asynccontextmanager
async def watching(home: Path) -> AsyncIterator[Machine]:
    """A watch of a home; the folders that agents write to are there."""
    for place in PLACES.values():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
    async with Machine(log_path(home), env=env_of(home)) as machine, machine.watching():
        yield machine


async def watched(home: Path) -> None:
    """Writes the sessions while a watch follows them, and waits until it has all of them."""
    async with watching(home) as machine:
        for name in NAMES:
            store(home, name)

        async def agents() -> list[int]:
            return sorted([run.agents for run in await machine.log.runs(limit=100)])

        # Leaving reads to the end what has begun.
        await becomes(agents, sorted(len(agents_of(name)) for name in NAMES))


def agents_of(name: str) -> set[str]:
    """The agents that have said something, by the word of the model."""
    return {block["agent"] for block in load(RECORDINGS / name).blocks}


async def run_of(tab: Page, name: str) -> str:
    """The id of a recording's run, by what the server lists."""
    runs = (await (await tab.context.request.get("/v1/runs")).json())["runs"]
    paths = [str(path) for path in (RECORDINGS / name).rglob("*")]
    kinds = {OPENCODE: "opencode", CODEX: "codex"}
    (found,) = [
        run["run"]
        for run in runs
        if run["source"] == kinds.get(name) or any(run["run"] in path for path in paths)
    ]
    return str(found)
