"""A session that was never followed, into the log when someone opens it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from unbraid.errors import CallerError
from unbraid.live.followed import ABOUT, introduction
from unbraid.live.keeping import now_ms
from unbraid.live.opening import latest_run
from unbraid.live.recorder import Recorder
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.sources.opencode_follow import Database
from unbraid.sources.places import (
    CLAUDE_SESSION,
    OPENCODE_SESSION,
    opencode_database,
    session_transcripts,
)
from unbraid.sources.session import Fed, Session

QUIET_SECONDS = 300


async def opened(log: Log, name: str, env: Mapping[str, str]) -> RunSummary:
    """The run of that name; a session that is not in the log yet is read into it."""
    run = name if await log.run(name) is not None else await latest_run(log, name)
    if run is None and CLAUDE_SESSION.fullmatch(name):
        run = await _claude(log, name, env)
    elif run is None and OPENCODE_SESSION.fullmatch(name):
        run = await _opencode(log, name, env)
    summary = await log.run(run) if run is not None else None
    if summary is None:
        raise CallerError(f"no run or session {name}; `unbraid ps --all` lists all there are")
    return summary


async def _claude(log: Log, name: str, env: Mapping[str, str]) -> str | None:
    main = next(session_transcripts(name, env), None)
    if main is None:
        return None
    session = Session(main)
    recorder = await Recorder.open(log, name)
    about = Fed(ABOUT, 0, await asyncio.to_thread(introduction, main))
    await recorder.feed([about], now_ms())
    await recorder.feed(session.drain(now=True), now_ms())
    silent = time.time() - max(path.stat().st_mtime for path in session.files if path.exists())
    if silent > QUIET_SECONDS:
        await recorder.feed(session.drain(last=True), now_ms())
        await recorder.finish(now_ms())
    return name


async def _opencode(log: Log, name: str, env: Mapping[str, str]) -> str | None:
    path = opencode_database(env)
    if path is None:
        return None
    database = Database(path)
    lines = await asyncio.to_thread(database.changed, last=True)
    root = database.root(name)
    if root not in lines:
        return None
    recorder = await Recorder.open(log, root)
    await recorder.feed([Fed(f"database.{now_ms()}", 0, b"".join(lines[root]))], now_ms())
    return root
