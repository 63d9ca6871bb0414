"""One session that somebody looks at, followed for them while nobody else follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from unbraid.live.claims import Claims
from unbraid.live.watch import Watch, watching
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.sources.places import FAMILIES


@asynccontextmanager
async def following(
    log: Log,
    run: RunSummary,
    env: Mapping[str, str],
    home: Path,
    warn: Callable[[str], None] = lambda text: None,
    *,
    redact: bool = False,
) -> AsyncIterator[None]:
    """Keep a run's log up to date meanwhile. Whoever has its claim does that already; when they are
    gone, it is taken over.
    """
    if run.over or run.source not in FAMILIES:
        yield
        return
    claims, until = Claims(home), asyncio.Event()
    session = run.session_id or run.run.partition(".")[0]
    watch = Watch(log, claims, env, warn=warn, only=session, redact=redact)
    watched = asyncio.create_task(watching(watch, until))
    try:
        yield
    finally:
        until.set()
        try:
            await watched
        finally:
            claims.close(ended=False)
