"""Imports a stored session into the log when it is opened."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from unbraid.agents.port import SessionStore
from unbraid.agents.registry import stores
from unbraid.errors import CallerError, UnbraidError
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.read.names import names_run
from unbraid.record.followed_session import FollowedSession
from unbraid.record.runs import latest_run, open_run
from unbraid.record.sessions.run_list import is_live, list_sessions, session_state
from unbraid.record.sessions.stored_facts import Warn

# Completes the first characters of a name to the one run or session that begins with them.

# What ids are made of: nothing that could leave a folder, or match more than its own beginning.
_BEGINNING = re.compile(r"[0-9A-Za-z_-]+")
SHOWN = 4


def complete_name(name: str, logged: Iterable[str], env: Mapping[str, str]) -> str:
    """Returns the one run or session whose name begins like this; the name itself if none does."""
    if not _BEGINNING.fullmatch(name):
        return name
    # What a session says later is a run of its own, `<session>.2`: one session all the same.
    found = {run.partition(".")[0] for run in logged if run.startswith(name)}
    if name not in found:
        for store in stores(env).values():
            found.update(store.matching(name))
    if len(found) <= 1 or name in found:
        return name if name in found else next(iter(found), name)
    some = ", ".join(sorted(found)[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise CallerError(f"{name} is the beginning of {some}{more}: type more characters of the name")


# A stored session that has been silent for longer is taken to be over.
SILENT_SESSION_SECONDS = 300
# An import of a session that another unbraid is recording waits for that one's first events.
IMPORT_LEASE_TIMEOUT_SECONDS = 10.0
IMPORT_LEASE_RETRY_SECONDS = 0.05


async def open_or_import(
    log: Log, name: str, env: Mapping[str, str], *, redact: bool = False
) -> RunSummary:
    """Returns the run of that name; a session that is not in the log yet is imported.

    A name may be cut short, as long as only one session begins so.
    """
    if await _logged(log, name) is None:
        logged = await log.run_names(name)
        name = await asyncio.to_thread(complete_name, name, logged, env)
    if found := await open_logged(log, name, env, redact=redact):
        return found
    session, store = await asyncio.to_thread(stored_session, name, env)
    if store is None:
        raise CallerError(
            f"run or session not found: {name or repr(name)}; `unbraid ps --all` lists all of them"
        )
    until = time.monotonic() + IMPORT_LEASE_TIMEOUT_SECONDS
    while not await record_session(log, session, store, redact=redact):
        if found := await _logged(log, session):
            return found
        if time.monotonic() > until:
            raise CallerError(f"another unbraid records {name}, which is still empty")
        await asyncio.sleep(IMPORT_LEASE_RETRY_SECONDS)
    if found := await _logged(log, session):
        return found
    raise CallerError(f"session {name} is empty")


async def open_logged(
    log: Log, name: str, env: Mapping[str, str], *, redact: bool = False
) -> RunSummary | None:
    """Returns the run of that name, or of the session that it is part of, if the log has it: with
    what its session has said since the last process stopped writing it, and its end, if it has been
    silent for long.
    """
    found = await _logged(log, name)
    if found is not None and found.over:
        return found
    named = name if found is None else found.session_id or found.run
    session, store = await asyncio.to_thread(stored_session, named, env)
    found = found or await _logged(log, session)
    if found is None or found.over or store is None:
        return found
    await record_session(log, session, store, only=found.run, redact=redact)
    return await log.run(found.run) or found


async def record_session(
    log: Log, session: str, store: SessionStore, *, only: str | None = None, redact: bool
) -> bool:
    """Records everything of a session that its run does not have; and its end, if no process has
    it, or it has been silent for long. Returns whether that was ours to do: False if another
    process records it. With `only` a run, nothing is done if the session continues in another one.
    """
    leases = log.leases()
    try:
        if not await leases.acquire(session):
            return False
        recorder, recorded = await open_run(log, session, redact=redact)
        if only not in (None, recorder.run):
            return True
        follower = await asyncio.to_thread(store.follow, session, recorded)
        if follower is None:
            return True
        followed = FollowedSession(recorder, follower, shielded=False)
        await followed.look(at_once=True)
        # Its files may be newer than its words, if they were copied; and older, by another clock.
        silent_seconds = max(time.monotonic() - followed.changed_at, follower.silent_seconds())
        state = await asyncio.to_thread(session_state, store, session)
        if not is_live(state, silent_seconds, timeout_seconds=SILENT_SESSION_SECONDS):
            await followed.close()
        return True
    finally:
        await leases.close(ended=True)


def stored_session(name: str, env: Mapping[str, str]) -> tuple[str, SessionStore | None]:
    """Returns the session whose run this one is part of, and where it is stored."""
    for store in stores(env).values():
        if store.is_session_id(name) and (root := store.root(name)) is not None:
            return root, store
    return name, None


async def _logged(log: Log, name: str) -> RunSummary | None:
    if not names_run(name):
        return None
    return await log.run(name) or await latest_run(log, name)


# Brings stored sessions into the log, each once, before their own CLI deletes them.
#
# It can be stopped at any time: what is in the log stays, and the next import continues there. A
# session that continues later is imported again, from where it was left.

# A session is last written to a little after its agent says that it is over.
SESSION_END_WRITTEN_MS = 1000

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
    if not await record_session(log, root, store, redact=redact):
        return BUSY
    return KNOWN if await _last_seqs(log, root) == before else IMPORTED


async def _last_seqs(log: Log, session: str) -> dict[str, int]:
    return {run.run: run.last_seq for run in await log.runs_of(session)}
