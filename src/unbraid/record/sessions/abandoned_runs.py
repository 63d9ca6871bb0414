"""Runs that are not over although no process writes them any more: it died, or was stopped.

Their log says what they did last. What has become of them only their stored session shows, so every
face shows the status of that. Whether a run is written, and where its session is stored, is known
only on the machine that it runs on: runs of other machines are shown as they are in the log.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from unbraid.agents.registry import is_kind
from unbraid.errors import UnbraidError
from unbraid.fold.status import ORPHANED
from unbraid.fold.tree import Tree
from unbraid.log.leases import Leases
from unbraid.log.origin import this_origin
from unbraid.log.port import Log, every_run
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.importer import open_logged
from unbraid.record.sessions.run_list import list_sessions
from unbraid.timings import LIVE_SESSION_SECONDS, STORED_SESSIONS_REFRESH_SECONDS

# Of the time, a twentieth at most is spent on listing sessions again.
REST_FACTOR = 20


def abandoned_runs(
    logged: Iterable[RunSummary], leases: Leases, env: Mapping[str, str]
) -> dict[str, RunSummary]:
    """Returns those of the runs, given last started first, that are abandoned on this machine, by
    their sessions.
    """
    here = (None, this_origin(env).machine)
    found: dict[str, RunSummary] = {}
    for run in logged:
        if not run.over and is_kind(run.source) and run.machine in here:
            found.setdefault(run.session_id or run.run, run)
    return {session: run for session, run in found.items() if not leases.is_held(session)}


def with_status_of(run: RunSummary, session: RunSummary) -> RunSummary:
    """Returns an abandoned run with the status of its stored session."""
    return run if run.over else replace(run, status=session.status, waiting=session.waiting)


def end_open_agents(tree: Tree, status: str) -> None:
    """Ends the agents of an abandoned run in its tree: the main agent with the status of the run,
    and the others as orphaned, because they were working when their process disappeared.
    """
    for node in tree.nodes.values():
        if node.ended is None:
            node.status, node.waiting = ORPHANED if node.stream_id else status, None


class AbandonedRuns:
    """The abandoned runs of a log, for servers and views that list its runs again and again."""

    def __init__(
        self, log: Log, env: Mapping[str, str], home: Path, *, redact: bool = False
    ) -> None:
        self._log, self._env, self._home, self._redact = log, env, home, redact
        self._sessions: dict[str, RunSummary] = {}
        self._refresh_at = -math.inf
        self._checking, self._recording = asyncio.Lock(), asyncio.Lock()
        self._recorded: set[str] = set()

    @cached_property
    def _leases(self) -> Leases:
        return self._log.leases()

    async def sessions(self) -> Mapping[str, RunSummary]:
        """Returns the stored sessions of the abandoned runs, by run, as they were some seconds ago
        at most. A run that a process has begun to write again since is not among them.
        """
        async with self._checking:
            began_at = time.monotonic()
            if began_at >= self._refresh_at:
                self._sessions, self._recorded = await self._read(), set()
                now = time.monotonic()
                rest_seconds = (now - began_at) * REST_FACTOR
                self._refresh_at = now + max(STORED_SESSIONS_REFRESH_SECONDS, rest_seconds)
        found = self._sessions.items()
        return {run: session for run, session in found if not self._leases.is_held(session.run)}

    async def shown(self, run: RunSummary) -> RunSummary:
        """Returns a run of the log with the status that every face shows."""
        session = None if run.over else (await self.sessions()).get(run.run)
        return run if session is None else with_status_of(run, session)

    async def record_rest(self, run: str) -> None:
        """Records what the session of an abandoned run has said since; and its end, if it is over.
        Does nothing for other runs.
        """
        if run not in await self.sessions():
            return
        # Requests for one run come together: the others wait for what the first one records.
        async with self._recording:
            if run not in await self.sessions() or run in self._recorded:
                return
            self._recorded.add(run)
            # The run is in the log, and can be shown, whether its session can be read or not.
            with suppress(UnbraidError, OSError):
                found = await open_logged(self._log, run, self._env, redact=self._redact)
                if found is None or found.over:
                    self._refresh_at = -math.inf

    async def _read(self) -> dict[str, RunSummary]:
        live = [run async for run in every_run(self._log, status="live")]
        abandoned = abandoned_runs(live, self._leases, self._env)
        if not abandoned:
            return {}
        sessions = await asyncio.to_thread(self._stored, abandoned)
        return {abandoned[name].run: session for name, session in sessions.items()}

    def _stored(self, abandoned: Mapping[str, RunSummary]) -> dict[str, RunSummary]:
        redact: Callable[[str], str] | None = None
        if self._redact:
            from unbraid.redact.reader import redact_title as redact
        # Files are not written at the very time that their last lines have.
        since_ms = min(run.updated for run in abandoned.values()) - LIVE_SESSION_SECONDS * 1000
        found: dict[str, RunSummary] = {}
        for session in list_sessions(
            self._env, self._home, oldest_ms=since_ms, warn=lambda text: None, redact=redact
        ):
            if session.run in abandoned:
                found[session.run] = session
                if len(found) == len(abandoned):
                    break
        return found
