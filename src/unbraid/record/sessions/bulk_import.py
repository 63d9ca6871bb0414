"""Brings stored sessions into the log, each once, before their own CLI deletes them.

It can be stopped at any time: what is in the log stays, and the next import continues there. A
session that continues later is imported again, from where it was left.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError, UnbraidError
from unbraid.log import every_run
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.all_runs import abandoned_runs, merge_runs, with_status_of
from unbraid.record.sessions.importer import complete_name, record_session, stored_session
from unbraid.record.sessions.run_list import list_sessions, newest_runs, oldest_listed_ms
from unbraid.record.sessions.stored_facts import Progress, Warn

# A session is last written to a little after its agent says that it is over.
SESSION_END_WRITTEN_MS = 1000

# More than anyone has in a day.
RECENT_RUNS = 1000

IMPORTED, KNOWN, BUSY, FAILED = "imported", "known", "busy", "failed"


class ImportedSession(Struct, frozen=True):
    """What has become of one session: `imported`; `known`, because the log has all of it; `busy`,
    because another process records it; or `failed`, with the `problem`.
    """

    session: str
    outcome: str
    problem: str | None = None


def all_sessions(env: Mapping[str, str], home: Path, warn: Warn) -> list[str]:
    """Returns the sessions that are stored on this machine, oldest first: those are deleted
    first.
    """
    return [run.run for run in list_sessions(env, home, warn=warn)][::-1]


def named_sessions(names: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Returns sessions by their names, or the beginnings of them. Raises CallerError if there is no
    such session.
    """
    found = []
    for name in names:
        session, store = stored_session(complete_name(name, (), env), env)
        if store is None:
            raise CallerError(f"session not found: {name}; `unbraid ps --all` lists all of them")
        found.append(session)
    return list(dict.fromkeys(found))


async def import_sessions(
    log: Log, sessions: Iterable[str], env: Mapping[str, str], *, redact: bool = False
) -> AsyncIterator[ImportedSession]:
    """Imports sessions one after the other; one that cannot be imported stops no other."""
    for session in sessions:
        try:
            outcome = await _import(log, session, env, redact=redact)
            yield ImportedSession(session, outcome)
        except (UnbraidError, OSError) as error:
            yield ImportedSession(session, FAILED, str(error))


async def caught_up_runs(
    log: Log,
    env: Mapping[str, str],
    home: Path,
    *,
    everything: bool,
    warn: Warn,
    progress: Progress = lambda done, total: None,
    redact: bool = False,
) -> list[RunSummary]:
    """Returns all runs, last changed first, after the log has taken in what sessions of its runs
    have said since: what stands in their files counts, whether anybody followed them or not.
    Without `everything`, those that are live or of the last day.
    """

    async def logged_runs() -> list[RunSummary]:
        if everything:
            return [run async for run in every_run(log)]
        return await log.runs(limit=RECENT_RUNS)

    oldest_ms, leases = oldest_listed_ms(everything=everything), log.leases()
    logged = await logged_runs()
    abandoned = abandoned_runs(logged, leases, env)
    since_ms = min([oldest_ms, *(run.updated for run in abandoned.values())])
    sessions = list(list_sessions(env, home, oldest_ms=since_ms, warn=warn, progress=progress))
    by_session: dict[str, list[RunSummary]] = {}
    for run in logged:
        by_session.setdefault(run.session_id or run.run, []).append(run)
    changed = [*abandoned]
    changed += [run.run for run in sessions if has_gone_on(run, by_session.get(run.run, []))]
    outcomes = [done.outcome async for done in import_sessions(log, changed, env, redact=redact)]
    if IMPORTED in outcomes:
        logged = await logged_runs()
    stored, shown = {session.run: session for session in sessions}, {run.run: run for run in logged}
    for name, run in abandoned_runs(logged, leases, env).items():
        if name in stored:
            shown[run.run] = with_status_of(run, stored[name])
    return newest_runs(merge_runs(shown.values(), sessions), oldest_ms)


def runs_outside_log(
    env: Mapping[str, str],
    home: Path,
    *,
    everything: bool,
    warn: Warn,
    progress: Progress = lambda done, total: None,
) -> list[RunSummary]:
    """Returns the stored sessions, last changed first, where no log can be read; without
    `everything`, those that are live or of the last day.
    """
    oldest_ms = oldest_listed_ms(everything=everything)
    sessions = list_sessions(env, home, oldest_ms=oldest_ms, warn=warn, progress=progress)
    return newest_runs(merge_runs((), sessions), oldest_ms)


def has_gone_on(session: RunSummary, logged: Sequence[RunSummary]) -> bool:
    """Returns whether a stored session has said something after its last run in the log was
    over.
    """
    if not logged or not all(run.over for run in logged):
        return False
    used = sum(run.usage.total_tokens for run in logged)
    ended = max(run.updated for run in logged)
    return used < session.usage.total_tokens or ended + SESSION_END_WRITTEN_MS < session.updated


async def _import(log: Log, session: str, env: Mapping[str, str], *, redact: bool) -> str:
    root, store = await asyncio.to_thread(stored_session, session, env)
    if store is None:
        raise CallerError(f"session not found: {session}")
    before = await _last_seqs(log, root)
    leases = log.leases()
    try:
        if not await leases.acquire(root):
            return BUSY
        await record_session(log, root, store, redact=redact)
    finally:
        await leases.close(ended=True)
    return KNOWN if await _last_seqs(log, root) == before else IMPORTED


async def _last_seqs(log: Log, session: str) -> dict[str, int]:
    return {run.run: run.last_seq for run in await log.runs_of(session)}
