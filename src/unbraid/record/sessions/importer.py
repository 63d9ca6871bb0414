"""Imports a stored session into the log when it is opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from unbraid.agents.port import SessionStore
from unbraid.agents.registry import stores
from unbraid.errors import CallerError
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.read.names import names_run
from unbraid.record.followed_session import FollowedSession
from unbraid.record.runs import latest_run, open_run
from unbraid.record.sessions.importer import complete_name
from unbraid.record.sessions.run_list import is_live, session_state

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
    found = await _logged(log, name)
    if found is None:
        logged = await log.run_names(name)
        name = await asyncio.to_thread(complete_name, name, logged, env)
        found = await _logged(log, name)
    if found is not None:
        return await _caught_up(log, found, env, redact=redact)
    session, store = await asyncio.to_thread(stored_session, name, env)
    if store is None:
        raise CallerError(
            f"run or session not found: {name or repr(name)}; `unbraid ps --all` lists all of them"
        )
    leases = log.leases()
    try:
        async with asyncio.timeout(IMPORT_LEASE_TIMEOUT_SECONDS) as waiting:
            while not await leases.acquire(session):
                if found := await _logged(log, session):
                    return found
                await asyncio.sleep(IMPORT_LEASE_RETRY_SECONDS)
            waiting.reschedule(None)
            if (found := await _logged(log, session)) is None:
                await record_session(log, session, store, redact=redact)
                found = await log.run(session)
    except TimeoutError:
        raise CallerError(f"another unbraid records {name}, which is still empty") from None
    finally:
        await leases.close(ended=True)
    if found is None:
        raise CallerError(f"session {name} is empty")
    return found


async def open_logged(
    log: Log, name: str, env: Mapping[str, str], *, redact: bool = False
) -> RunSummary | None:
    """Returns the run of that name, or of the session that it is part of, if the log has it."""
    found = await _logged(log, name)
    if found is None:
        session, _ = await asyncio.to_thread(stored_session, name, env)
        found = await _logged(log, session)
    return None if found is None else await _caught_up(log, found, env, redact=redact)


async def _caught_up(
    log: Log, run: RunSummary, env: Mapping[str, str], *, redact: bool
) -> RunSummary:
    """Records what a session has said since the last process stopped writing its run; and its end,
    if it has been silent for long. Returns the run.
    """
    if run.over:
        return run
    session, store = await asyncio.to_thread(stored_session, run.session_id or run.run, env)
    leases = log.leases()
    try:
        if store is None or not await leases.acquire(session):
            return run
        await record_session(log, session, store, only=run.run, redact=redact)
    finally:
        await leases.close(ended=True)
    return await log.run(run.run) or run


async def record_session(
    log: Log, session: str, store: SessionStore, *, only: str | None = None, redact: bool
) -> None:
    """Records everything of a session that its run does not have; and its end, if no process has
    it, or it has been silent for long. With `only` a run, nothing is done if the session continues
    in another one.
    """
    recorder, recorded = await open_run(log, session, redact=redact)
    if only not in (None, recorder.run):
        return
    follower = await asyncio.to_thread(store.follow, session, recorded)
    if follower is None:
        return
    followed = FollowedSession(recorder, follower, shielded=False)
    await followed.look(at_once=True)
    # Its files may be newer than its words, if they were copied; and older, by another clock.
    silent_seconds = max(time.monotonic() - followed.changed_at, follower.silent_seconds())
    state = await asyncio.to_thread(session_state, store, session)
    if not is_live(state, silent_seconds, timeout_seconds=SILENT_SESSION_SECONDS):
        await followed.close()


def stored_session(name: str, env: Mapping[str, str]) -> tuple[str, SessionStore | None]:
    """Returns the session whose run this one is part of, and where it is stored."""
    for store in stores(env).values():
        if store.is_session_id(name) and (root := store.root(name)) is not None:
            return root, store
    return name, None


async def _logged(log: Log, name: str) -> RunSummary | None:
    if not names_run(name):
        return None
    run = name if await log.run(name) is not None else await latest_run(log, name)
    return await log.run(run) if run is not None else None
