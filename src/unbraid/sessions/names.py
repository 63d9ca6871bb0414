"""A name that was cut short: what it stands for, if that can be only one thing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing

from unbraid.agents.claude.discovery import SESSION_FILE
from unbraid.agents.opencode.database import connect
from unbraid.agents.places import claude_projects, opencode_stores
from unbraid.errors import CallerError, SourceError

# What ids are made of: nothing that could leave a folder, or match more than its own beginning.
_BEGINNING = re.compile(r"[0-9A-Za-z_-]+")
SHOWN = 4


def completed(name: str, logged: Iterable[str], env: Mapping[str, str]) -> str:
    """The one run or session whose name begins like this; the name itself, if there is none."""
    if not _BEGINNING.fullmatch(name):
        return name
    # What a session says later is a run of its own, `<session>.2`: one session all the same.
    found = {run.partition(".")[0] for run in logged if run.startswith(name)}
    if name not in found:
        found.update(_sessions(name, env))
    if len(found) <= 1 or name in found:
        return name if name in found else next(iter(found), name)
    some = ", ".join(sorted(found)[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise CallerError(f"{name} is the beginning of {some}{more}: say more of it")


def _sessions(beginning: str, env: Mapping[str, str]) -> Iterator[str]:
    for projects in claude_projects(env):
        for path in projects.glob(f"*/{beginning}*.jsonl"):
            if SESSION_FILE.fullmatch(path.name) and path.is_file():
                yield path.stem
    for store in opencode_stores(env):
        try:
            with closing(connect(store, parts=False)) as database:
                ids = [str(row[0]) for row in database.execute("SELECT id FROM session")]
        except (sqlite3.Error, SourceError):
            continue  # whoever opens it will tell
        yield from (each for each in ids if each.startswith(beginning))
