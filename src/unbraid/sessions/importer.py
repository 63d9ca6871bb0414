"""A session that was never followed, into the log when someone opens it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.claude.child_files import Owners
from unbraid.agents.claude.session_files import Session
from unbraid.agents.opencode.database import database_runs, last_change
from unbraid.agents.places import (
    CLAUDE_SESSION,
    OPENCODE_SESSION,
    opencode_stores,
    session_transcripts,
)
from unbraid.errors import CallerError
from unbraid.launch.run_log import now_ms
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.record.followed import ABOUT, Followed, FollowedFiles, introduction
from unbraid.record.recorder import Recorder
from unbraid.record.runs import ROWS, latest_run
from unbraid.sessions.names import completed
from unbraid.translate.tracks import Run
from unbraid.wire.chunk import Chunk
from unbraid.wire.names import names_run

# A session that has been silent for longer is over, as far as anyone can tell.
QUIET_SECONDS = 300
CLAIMED_SECONDS = 10.0
APPEARING_SECONDS = 0.05


async def opened(
    log: Log, name: str, env: Mapping[str, str], home: Path, *, redact: bool = False
) -> RunSummary:
    """The run of that name; a session that is not in the log yet is read into it.

    `home` is the folder of the log: whoever else is at the session is known there. A name may be
    cut short, as long as it tells one session from all others.
    """
    found = await _logged(log, name)
    if found is None:
        logged = {each.run for each in await log.runs(limit=1_000_000)}
        name = await asyncio.to_thread(completed, name, logged, env)
        found = await _logged(log, name)
    if found is not None:
        return found if found.over else await _caught_up(log, found, env, home, redact=redact)
    session: Claude | OpenCode | None = None
    if CLAUDE_SESSION.fullmatch(name):
        session = await asyncio.to_thread(Claude.find, name, env)
    elif OPENCODE_SESSION.fullmatch(name):
        session = await asyncio.to_thread(OpenCode.find, name, env)
    if session is None:
        raise CallerError(
            f"no run or session {name or repr(name)}; `unbraid ps --all` lists all there are"
        )
    leases = Leases(home)
    try:
        async with asyncio.timeout(CLAIMED_SECONDS) as waiting:
            while not leases.take(session.id):
                if found := await _logged(log, session.id):
                    return found
                await asyncio.sleep(APPEARING_SECONDS)
            waiting.reschedule(None)
            if (found := await _logged(log, session.id)) is None:
                recorder = await Recorder.open(log, session.id, redact=redact)
                await session.tell(Followed(recorder))
                found = await log.run(session.id)
    except TimeoutError:
        raise CallerError(f"another unbraid is at {name}, which has said nothing yet") from None
    finally:
        leases.close()
    if found is None:
        raise CallerError(f"nothing was ever said in {name}")
    return found


async def _caught_up(
    log: Log, run: RunSummary, env: Mapping[str, str], home: Path, *, redact: bool
) -> RunSummary:
    """A run that nobody writes any more, up to what its session has said since; and its end, if
    that has been silent for long.
    """
    name = run.session_id or run.run
    main = None
    if CLAUDE_SESSION.fullmatch(name):
        main = await asyncio.to_thread(lambda: next(session_transcripts(name, env), None))
    leases = Leases(home)
    try:
        if main is None or not leases.take(name):
            return run
        followed = await FollowedFiles.open(log, main, Owners().of, redact=redact)
        if followed.recorder.run == run.run:
            await followed.look(now=True)
            if _silent(followed.session):
                await followed.close()
    finally:
        leases.close()
    return await log.run(run.run) or run


def _silent(session: Session) -> bool:
    written = max(path.stat().st_mtime for path in session.files if path.exists())
    return time.time() - written > QUIET_SECONDS


async def _logged(log: Log, name: str) -> RunSummary | None:
    if not names_run(name):
        return None
    run = name if await log.run(name) is not None else await latest_run(log, name)
    return await log.run(run) if run is not None else None


class Claude:
    """A session of Claude Code's, by its transcripts."""

    def __init__(self, main: Path) -> None:
        self.id, self._main = main.stem, main

    @classmethod
    def find(cls, name: str, env: Mapping[str, str]) -> Claude | None:
        """The session of that id."""
        main = next(session_transcripts(name, env), None)
        return None if main is None else cls(main)

    async def tell(self, followed: Followed) -> None:
        """Everything that it has said; and its end, if it has been silent for long."""
        session = Session(self._main)
        about = Chunk(ABOUT, 0, await asyncio.to_thread(introduction, self._main))
        await followed.take(lambda: [about])
        await followed.take(lambda: session.drain(now=True))
        if _silent(session):
            await followed.take(lambda: session.drain(last=True))
            await followed.finish()


class OpenCode:
    """A root session of OpenCode's with its children, by their rows."""

    def __init__(self, path: Path, run: Run) -> None:
        self.id, self._path, self._run = run.session or "", path, run

    @classmethod
    def find(cls, name: str, env: Mapping[str, str]) -> OpenCode | None:
        """The session that this one belongs to."""
        for path in opencode_stores(env):
            if runs := database_runs(path, name):
                return cls(path, runs[0])
        return None

    async def tell(self, followed: Followed) -> None:
        """Everything that it has said; and its end, if it has been silent for long."""
        (track,) = self._run.tracks
        # The time first: what is written meanwhile counts as told only if it is.
        changed = await asyncio.to_thread(last_change, self._path, self.id)
        lines = await asyncio.to_thread(lambda: b"".join(track.read()))
        followed.recorder.note(ROWS, changed)
        rows = Chunk(f"database.{now_ms()}", 0, lines)
        await followed.take(lambda: [rows])
        if now_ms() - changed > QUIET_SECONDS * 1000:
            await followed.finish()
