"""Follows one session that a person looks at, while no other process follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from unbraid.agents.registry import is_kind
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.watch.watcher import Watcher, watch_until


@asynccontextmanager
async def follow_session(
    log: Log,
    run: RunSummary,
    env: Mapping[str, str],
    warn: Callable[[str], None] = lambda text: None,
    *,
    redact: bool = False,
) -> AsyncIterator[None]:
    """Keeps a run's log up to date while the block runs. The process that holds its lease does
    that already; when it is gone, its lease is taken over.
    """
    if run.over or not is_kind(run.source):
        yield
        return
    leases, until = log.leases(), asyncio.Event()
    session = run.session_id or run.run.partition(".")[0]
    watch = Watcher(log, leases, env, warn=warn, only=session, redact=redact)
    watched = asyncio.create_task(watch_until(watch, until))
    try:
        yield
    finally:
        until.set()
        try:
            await watched
        finally:
            await leases.close(ended=False)
