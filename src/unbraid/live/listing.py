"""All runs there are: those of the log, and the sessions on this machine that are not in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.errors import SourceError
from unbraid.fleet.usage import Usage
from unbraid.log.summary import RunSummary
from unbraid.sources.index import Index
from unbraid.sources.opencode_index import opencode_rows
from unbraid.sources.places import opencode_database

# A session that is not in the log counts as live while it has spoken as lately as this.
LIVE_SECONDS = 60
RECENT_SECONDS = 24 * 3600


class Listed(Struct):
    """One run, as `ps` tells it."""

    run: str
    source: str
    session_id: str | None
    title: str | None
    cwd: str | None
    status: str
    agents: int
    started: int
    updated: int
    usage: Usage

    def to_json(self) -> dict[str, Any]:
        """As `ps --json` prints it."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def of_summary(summary: RunSummary) -> Listed:
    """A run of the log."""
    given = summary.usage
    usage = Usage(
        given.input_tokens,
        given.output_tokens,
        given.cache_read_tokens,
        given.cache_creation_tokens,
        given.cost_usd,
    )
    return Listed(
        summary.run,
        summary.source,
        summary.session_id,
        summary.title,
        summary.cwd,
        summary.status,
        summary.agents,
        summary.started,
        summary.updated,
        usage,
    )


def listed(
    logged: list[RunSummary],
    env: Mapping[str, str],
    folder: Path | None,
    *,
    everything: bool,
    warn: Callable[[str], None],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Listed]:
    """Runs, newest first; without `everything`, those that are live or of the last day."""
    found = {summary.run: of_summary(summary) for summary in logged}
    known = {summary.session_id or summary.run for summary in logged} | found.keys()
    oldest = 0 if everything else (time.time() - RECENT_SECONDS) * 1000
    for run in _unlogged(env, folder, oldest, warn, progress):
        if run.run not in known:
            found[run.run] = run
    chosen = [run for run in found.values() if run.updated >= oldest or run.status == "live"]
    return sorted(chosen, key=lambda run: run.updated, reverse=True)


def _unlogged(
    env: Mapping[str, str],
    folder: Path | None,
    oldest: float,
    warn: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> Iterator[Listed]:
    index = Index(folder)
    for number, row in enumerate(index.rows(env, since_ns=round(oldest * 1e6))):
        progress(number + 1, index.total)
        yield Listed(
            row.session_id, "claude", row.session_id, row.title, row.cwd,
            _status(row.updated, answered=row.answered), row.agent_count, row.started, row.updated,
            row.usage,
        )  # fmt: skip
    for place, problem in index.problems.items():
        warn(f"{place}: {problem}")
    database = opencode_database(env)
    if database is None:
        return
    try:
        rows = opencode_rows(database)
    except SourceError as error:
        warn(str(error))
        return
    for each in rows:
        yield Listed(
            each.session_id, "opencode", each.session_id, each.title, each.cwd,
            _status(each.updated, answered=each.answered), each.agents, each.started, each.updated,
            each.usage,
        )  # fmt: skip


def _status(updated: int, *, answered: bool) -> str:
    if time.time() * 1000 - updated < LIVE_SECONDS * 1000:
        return "live"
    return "done" if answered else "orphaned"
