"""All runs that a face shows: those of the log, and the stored sessions that are not in it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol, TypedDict, Unpack

from msgspec.structs import replace

from unbraid.agents.port import SearchHit
from unbraid.agents.registry import is_kind
from unbraid.errors import UnbraidError
from unbraid.fold.status import ORPHANED
from unbraid.fold.tree import Tree
from unbraid.log.leases import Leases
from unbraid.log.origin import this_origin
from unbraid.log.port import Found, Log, LogReader, every_run
from unbraid.log.summary import RunSummary, select_runs
from unbraid.record.sessions.importer import IMPORTED, has_gone_on, import_sessions, open_logged
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.sessions.stored_facts import Progress, Warn
from unbraid.timings import LIVE_SESSION_SECONDS

# A list has the sessions that changed within this time, unless all are asked for.
LISTED_SESSION_SECONDS = 24 * 3600
# More runs than anyone has in that time.
RECENT_RUNS = 1000
# Those of one machine or user are chosen from so many results.
MAX_RESULTS_TO_FILTER = 1000
DEFAULT_LIMIT = 50
# Stored sessions are listed from disk, which costs more than listing the runs of a log.
STORED_SESSIONS_REFRESH_SECONDS = 2.0
# Of the time, a twentieth at most is spent on listing sessions again.
REST_FACTOR = 20

# Runs that are not over although no process writes them any more: it died, or was stopped.
#
# Their log says what they did last. What has become of them only their stored session shows, so
# every face shows the status of that. Whether a run is written, and where its session is stored,
# is known only on the machine that it runs on: runs of other machines are shown as they are in
# the log.


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


def with_status_of(run: RunSummary, session: RunSummary | None) -> RunSummary:
    """Returns an abandoned run with the status of its stored session, if it has one."""
    if session is None or run.over:
        return run
    return replace(run, status=session.status, waiting=session.waiting)


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


# What faces ask of stored sessions that are not in the log, on this machine or on a server.


class RunSelection(TypedDict, total=False):
    """Which runs of a list are wanted, as `Log.runs` takes it."""

    status: str | None
    matching: str | None
    limit: int
    before: str | None


class StoredSessions(Protocol):
    """Sessions that are stored by their agents' CLIs and are not in the log."""

    async def runs(self, **which: Unpack[RunSelection]) -> list[RunSummary]:
        """Returns those found so far, selected and ordered as a log does with its runs."""
        ...

    async def open(self, name: str) -> RunSummary | None:
        """Returns the run of a session, which is imported into the log; None if there is none."""
        ...

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns the matches in them, newest first; with `redact`, in what may be shown of
        them.
        """
        ...


def merge_runs(logged: Iterable[RunSummary], stored: Iterable[RunSummary]) -> list[RunSummary]:
    """Returns the runs of the log and the sessions that are not in it, last started first."""
    found = {run.run: run for run in logged}
    known = found.keys() | {run.session_id for run in found.values()}
    found |= {run.run: run for run in stored if run.run not in known}
    return sorted(found.values(), key=lambda run: (run.started, run.run), reverse=True)


async def list_runs(
    log: Log | None,
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
    Without `everything`, those that are live or of the last day; without a log, only sessions.
    """
    oldest_ms = 0 if everything else (time.time() - LISTED_SESSION_SECONDS) * 1000
    sessions_since = partial(list_sessions, env, home, warn=warn, progress=progress)
    if log is None:
        return _newest(merge_runs((), sessions_since(oldest_ms=oldest_ms)), oldest_ms)

    async def logged_runs() -> list[RunSummary]:
        if everything:
            return [run async for run in every_run(log)]
        return await log.runs(limit=RECENT_RUNS)

    leases, logged = log.leases(), await logged_runs()
    abandoned = abandoned_runs(logged, leases, env)
    since_ms = min([oldest_ms, *(run.updated for run in abandoned.values())])
    sessions = list(sessions_since(oldest_ms=since_ms))
    by_session: dict[str, list[RunSummary]] = {}
    for run in logged:
        by_session.setdefault(run.session_id or run.run, []).append(run)
    changed = [*abandoned]
    changed += [run.run for run in sessions if has_gone_on(run, by_session.get(run.run, []))]
    importing = import_sessions(log, changed, env, redact=redact)
    if IMPORTED in [done.outcome async for done in importing]:
        logged = await logged_runs()
    stored = {session.run: session for session in sessions}
    abandoned = abandoned_runs(logged, leases, env)
    statuses = {run.run: stored.get(name) for name, run in abandoned.items()}
    shown = [with_status_of(run, statuses.get(run.run)) for run in logged]
    return _newest(merge_runs(shown, sessions), oldest_ms)


def _newest(runs: Iterable[RunSummary], oldest_ms: float) -> list[RunSummary]:
    chosen = [run for run in runs if run.updated >= oldest_ms or not run.over]
    return sorted(chosen, key=lambda run: run.updated, reverse=True)


class AllRuns:
    """The runs of a log, of stored sessions and of abandoned ones, in one list. `log` is what may
    be shown; with `redact`, stored sessions are redacted, too.
    """

    def __init__(
        self,
        log: LogReader,
        *,
        stored: StoredSessions | None = None,
        abandoned: AbandonedRuns | None = None,
        redact: bool = False,
    ) -> None:
        self._log, self._stored, self._abandoned = log, stored, abandoned
        self._redact = redact

    async def runs(self, **which: Unpack[RunSelection]) -> list[RunSummary]:
        """Returns a page of all runs, last started first; `before` is the `page` of the last one
        seen.
        """
        found = merge_runs(await self.logged(**which), await self.stored(**which))
        return found[: which.get("limit", DEFAULT_LIMIT)]

    async def logged(self, **which: Unpack[RunSelection]) -> list[RunSummary]:
        """Returns the runs of the log, last started first. Abandoned runs are selected by the
        status that is shown of them.
        """
        limit = which.get("limit", DEFAULT_LIMIT)
        sessions = await self._sessions()
        known = [(await self._log.run(name), session) for name, session in sessions.items()]
        abandoned = [with_status_of(run, session) for run, session in known if run is not None]
        found = list(
            select_runs(
                abandoned,
                status=which.get("status"),
                matching=which.get("matching"),
                before=which.get("before"),
            )
        )
        others = 0
        while others < limit:
            page = await self._log.runs(**which)
            new = [run for run in page if run.run not in sessions]
            found += new
            others += len(new)
            if len(page) < limit:
                break
            which["before"] = page[-1].page
        return merge_runs(found, ())[:limit]

    async def stored(self, **which: Unpack[RunSelection]) -> list[RunSummary]:
        """Returns the stored sessions that are not in the log, last started first."""
        found = [] if self._stored is None else await self._stored.runs(**which)
        if self._redact and found:
            from unbraid.redact.reader import redact_summary

            found = [redact_summary(run) for run in found]
        return found

    async def _sessions(self) -> Mapping[str, RunSummary]:
        """Returns the stored sessions of the abandoned runs, by run."""
        return {} if self._abandoned is None else await self._abandoned.sessions()

    async def state(self) -> object:
        """Returns what differs from the last time whenever the runs of the log are to be listed
        again.
        """
        sessions = (await self._sessions()).items()
        statuses = {run: (session.status, session.waiting) for run, session in sessions}
        return await self._log.bounds(), statuses

    async def run(self, name: str) -> RunSummary | None:
        """Returns one run as it is now; a stored session is imported. None if there is none."""
        if self._abandoned is not None:
            await self._abandoned.record_rest(name)
        found = await self._log.run(name)
        if found is not None:
            return with_status_of(found, (await self._sessions()).get(name))
        return None if self._stored is None else await self._stored.open(name)

    async def search(
        self,
        query: str,
        *,
        run: str | None = None,
        machine: str | None = None,
        user: str | None = None,
        limit: int = 20,
    ) -> AsyncIterator[Sequence[Found | SearchHit]]:
        """Yields up to `limit` results: those of the log at once, best first; then those of stored
        sessions that are not in it, newest first, which takes longer. With a `machine` or `user`,
        only those of their runs; sessions that are not in the log have neither.
        """
        filtered = machine is not None or user is not None
        most = MAX_RESULTS_TO_FILTER if filtered else limit
        logged = await self._log.search(query, run=run, limit=most)
        if filtered:
            runs = [await self._log.run(name) for name in {found.run for found in logged}]
            theirs = {
                each.run
                for each in runs
                if each and machine in (None, each.machine) and user in (None, each.user)
            }
            logged = [found for found in logged if found.run in theirs][:limit]
        yield logged
        rest = limit - len(logged)
        if self._stored is not None and run is None and not filtered and rest > 0:
            yield await self._stored.search(query, limit=rest, redact=self._redact)
